import type { Json } from '../../base/json.ts';
import type { BlobRef, Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { type BlockPath, formatPath, type Path, parsePath, paths, toBlockPath } from '../paths.ts';
import { planHistory, stepLine } from '../plans/plan-text.ts';
import { type StoredPath, toStored } from '../short-names.ts';
import type { SourceRow, TurnView, View } from '../view.ts';
import { turnIndex } from './turn-index.ts';

/** The content of a path: `text` for anything textual. With a `blob`, the blob is the full content and `text` only its beginning. */
export type ResolvedPath = {
  readonly path: BlockPath;
  readonly mime: string;
  readonly text?: string;
  readonly data?: Json;
  readonly blob?: BlobRef;
  /** For a result: the text that the model saw; `text` or `blob` is the full value. */
  readonly shown?: string;
  /** Sources that reading this adds to the pool under new sids; `[[S:n]]` in `text` means the nth of them, or the one with that `sid`. */
  readonly sources?: readonly CarriedSource[];
};

type CarriedSource = Omit<SourceRow, 'sid'> & { readonly sid?: number };

/** Undefined: no such item, or not in this conversation. An alias resolves to the path that it stands for. */
export function resolve(view: View, text: string): ResolvedPath | undefined {
  const named = parsePath(text);
  if (!named || 'name' in named || isForeign(view, named)) return undefined;
  const path = toStored(view, named);
  if (!path) return undefined;
  switch (path.family) {
    case 'so':
      return resolveSources(view, path.sids);
    case 'plan':
      return resolvePlan(view, path.plan);
    default:
      return resolveInTurn(view, path);
  }
}

type Local = Exclude<Path, { name: string }>;
type InTurn = Exclude<Local, { family: 'so' | 'plan' }>;

function isForeign({ turns }: View, { conversation }: Local): boolean {
  return conversation !== undefined && conversation !== turns[0]?.blocks[0]?.conversation;
}

function resolveInTurn(view: View, path: StoredPath<InTurn>): ResolvedPath | undefined {
  const history = paths.planHistory(path.turn);
  if (formatPath(path) === history)
    return { path: history, mime: 'text/markdown', text: planHistory(view.plans) };
  const turn = view.turns.findLast(({ id }) => id === path.turn);
  if (!turn) return undefined;
  const name = path.family === 'tc' ? `${path.call}.${path.part}` : path.rest;
  const stored = toBlockPath(`${path.family}:${turn.id}.${name}`);
  if (stored === paths.turnIndex(turn.id))
    return { path: stored, mime: 'text/markdown', text: turnIndex(view, turn) };
  const block = aliased(turn, stored) ?? pathsOf(turn).get(stored);
  return block && toResolved(block, block.path ?? stored);
}

/** Answers and summaries are stored with a number; a path without one means the last. */
function aliased(turn: TurnView, path: BlockPath): Block | undefined {
  if (path === paths.completion(turn.id)) return turn.completions.at(-1);
  return path === paths.summary(turn.id) ? turn.summary : undefined;
}

const indexes = new WeakMap<TurnView, ReadonlyMap<BlockPath, Block>>();

/** The newest block of each path of a turn. */
function pathsOf(turn: TurnView): ReadonlyMap<BlockPath, Block> {
  const known = indexes.get(turn);
  if (known) return known;
  const index = new Map(
    turn.blocks.flatMap((block) =>
      block.path === undefined ? [] : [[block.path, block] as const],
    ),
  );
  indexes.set(turn, index);
  return index;
}

function toResolved(block: Block, path: BlockPath): ResolvedPath {
  const { blob, data } = block;
  const extra = {
    ...(data === undefined ? {} : { data }),
    ...(blob === undefined ? {} : { blob }),
    ...(block.type === 'react.tool.result' && block.text ? { shown: block.text } : {}),
  };
  const text = textOf(block);
  const mime = block.mime ?? defaultMime(block);
  return text === undefined ? { path, mime, ...extra } : { path, mime, text, ...extra };
}

function defaultMime({ type, blob }: Block): string {
  if (type === 'react.tool.call' || type === 'react.tool.result') return 'application/json';
  return blob ? 'application/octet-stream' : 'text/markdown';
}

/** The full text of calls and results, not the displayed preview. */
function textOf(block: Block): string | undefined {
  if (block.type === 'react.tool.call') {
    const { tool = '', input = {} } = dataOf('react.tool.call', block) ?? {};
    return pretty({ tool, input });
  }
  const result =
    block.type === 'react.tool.result' && !block.blob
      ? dataOf('react.tool.result', block)
      : undefined;
  if (!result) return block.text;
  if (result.ret === undefined)
    return result.error ? pretty({ error: block.data ?? null }) : block.text;
  return typeof result.ret === 'string' ? result.ret : pretty(result.ret);
}

function resolvePlan({ plans }: View, id: string): ResolvedPath | undefined {
  const plan = plans.find(({ plan_id }) => plan_id === id);
  if (!plan) return undefined;
  const text = plan.steps.map((_, index) => stepLine(plan, index + 1)).join('\n');
  return { path: paths.planLatest(id), mime: 'application/json', text: `${text}\n`, data: plan };
}

/** The rows in the requested order, without missing ones. */
function resolveSources({ sources }: View, sids: readonly number[]): ResolvedPath | undefined {
  const bySid = new Map(sources.map((row) => [row.sid, row]));
  const rows = sids.flatMap((sid) => bySid.get(sid) ?? []);
  if (rows.length === 0) return undefined;
  const path = formatPath({ family: 'so', sids: rows.map(({ sid }) => sid) });
  return { path, mime: 'application/json', text: rows.map(rowText).join('\n'), data: rows };
}

function rowText({ sid, title, url, text = '' }: SourceRow): string {
  const lines = [`[${sid}] ${title}`, url, text].filter((line) => line !== '');
  return `${lines.join('\n')}\n`;
}

function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}
