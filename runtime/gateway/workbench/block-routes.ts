import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { summarizeBlock } from '../../engine/inspect/block-summary.ts';
import { toOtlp } from '../../engine/inspect/otlp.ts';
import { spansOfTurns, type TraceSpan } from '../../engine/inspect/trace-spans.ts';
import type { Block } from '../../timeline/block.ts';
import { type ShortNames, shortNames } from '../../timeline/short-names.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { whose, whoseQuery } from './access.ts';
import { conversationPath, type Inspection, seqOf } from './inspection.ts';
import { blocksPageMax, spansMax, summaryCharsMax } from './log/limits.ts';

const limits = `must be between 1 and ${blocksPageMax}`;
export const blocksQuery = z.object({
  ...whose,
  after: z.int().min(0).default(0),
  /** Number of matching blocks to skip. */
  offset: z.int().min(0).default(0),
  limit: z.int(limits).min(1, limits).max(blocksPageMax, limits).default(blocksPageMax),
  /** A type, or the beginning of some types up to a dot. */
  type: z.string().max(100).optional(),
  author: z.enum(['user', 'agent', 'tool', 'system', 'world']).optional(),
  turn: z.string().max(200).optional(),
  /** Text in the block, its path or its data, in any case. */
  q: z.string().max(500).optional(),
});
export const traceQuery = z.object({
  ...whose,
  turn: z.string().max(200).optional(),
  format: z.enum(['spans', 'otlp']).default('spans'),
});

export function addBlockRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${conversationPath}/blocks`, (context) => getBlocks(context, inspection));
  app.get(`${conversationPath}/blocks/:seq`, (context) => getBlock(context, inspection));
  app.get(`${conversationPath}/trace`, (context) => getTrace(context, inspection));
}

type BlockFilter = Pick<z.output<typeof blocksQuery>, 'type' | 'author' | 'turn' | 'q'>;

async function getBlocks(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, after, offset, limit, ...filter } = queryOf(context, blocksQuery);
  const { blocks, archive, row } = await inspection.open(context, user);
  const isWanted = matcher(filter);
  const found = blocks.filter((block) => block.seq > after && isWanted(block));
  const page = found.slice(offset, offset + limit);
  const names = shortNames(archive);
  const next = found.length > offset + page.length ? (page.at(-1)?.seq ?? null) : null;
  const items = page.map((block) => toRow(block, names));
  return context.json({ ok: true, head: row.head, total: found.length, next, items });
}

function matcher({ type, author, turn, q }: BlockFilter): (block: Block) => boolean {
  const text = q?.toLowerCase();
  return (block) =>
    (type === undefined || block.type === type || block.type.startsWith(`${type}.`)) &&
    (author === undefined || block.author === author) &&
    (turn === undefined || block.turn === turn) &&
    (text === undefined || textsOf(block).toLowerCase().includes(text));
}

function textsOf({ type, path, text = '', data = null }: Block): string {
  return `${type}\n${path ?? ''}\n${text}\n${data === null ? '' : JSON.stringify(data)}`;
}

function toRow(block: Block, names: ShortNames): object {
  const { seq, turn, at, type, author, path, call, blob, text, data } = block;
  const summary = summarizeBlock(block).replaceAll(/\s+/g, ' ').slice(0, summaryCharsMax);
  return {
    ...{ seq, turn, turn_name: names.turn(turn), at, type, author },
    ...(path !== undefined && { path, short_path: names.path(path) }),
    ...(call !== undefined && { call }),
    chars: (text?.length ?? 0) + (data === undefined ? 0 : JSON.stringify(data).length),
    ...(blob && { bytes: blob.size }),
    summary: summary.toWellFormed(),
  };
}

async function getBlock(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const seq = seqOf(context);
  const { blocks, archive } = await inspection.open(context, user);
  const block = blocks.find((each) => each.seq === seq);
  if (!block) throw new Refusal('not_found', `there is no block ${seq}`);
  const names = shortNames(archive);
  return context.json({
    ok: true,
    turn_name: names.turn(block.turn),
    ...(block.path !== undefined && { short_path: names.path(block.path) }),
    block,
  });
}

async function getTrace(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, turn, format } = queryOf(context, traceQuery);
  const { archive, row } = await inspection.open(context, user);
  const all = spansOfTurns(archive, ({ id }) => turn === undefined || id === turn);
  const spans = all.slice(-spansMax);
  if (format === 'otlp') return context.json(toOtlp(spans, { conversation: row.id, version: '1' }));
  return context.json({
    ok: true,
    omitted: all.length - spans.length,
    spans: spans.map(toWireSpan),
  });
}

function toWireSpan({ fromMs, toMs, ...span }: TraceSpan): object {
  return { ...span, from_ms: fromMs, ...(toMs !== undefined && { to_ms: toMs }) };
}
