import type { Block, ChatEvent, HandedOffCall, OutputCitation, TurnResult } from '../api/types.ts';
import type { CloseReason, FileRef, Source, Usage } from '../api/values.ts';
import { isUnanswered } from '../protocol/answering-turn.ts';
import { fieldsOf } from './to-event.ts';

/** The result of a turn, from the event that ended it. */
export function toResult(event: ChatEvent): TurnResult | undefined {
  if (event.type !== 'chat.complete' && event.type !== 'chat.error') return undefined;
  const common = toCommon(fieldsOf(event.data));
  if (event.type === 'chat.complete') return { reason: event.data.reason, ...common };
  const { code, message } = event.data;
  const reason: CloseReason = 'failed';
  return { reason, ...common, error: { code, message } };
}

/** The result for a message, from the blocks of its conversation; undefined while its turn is open. */
export function resultFromBlocks(
  blocks: readonly Block[],
  ack: { readonly event_id: string; readonly turn_id: string },
): TurnResult | undefined {
  const close = answeringClose(blocks, ack);
  if (!close) return undefined;
  const own = blocks.filter(({ turn }) => turn === close.turn);
  const data = fieldsOf(close.data);
  const sids = own.flatMap((block) => listOf<number>(fieldsOf(block.data)['sources_used']));
  const rows = blocks.filter(({ type }) => type === 'source.row').map((block) => block.data);
  const sources = listOf<Source>(rows).filter(({ sid }) => sids.includes(sid));
  const { code, message } = fieldsOf(data['error']);
  const error = { code: String(code), message: String(message) };
  return {
    // The block is written by the server of this version.
    reason: data['reason'] as CloseReason,
    ...toCommon({ ...data, sources }),
    ...(data['reason'] === 'failed' ? { error } : {}),
  };
}

/** The end of the turn that answers the message: what a turn leaves unanswered, the next one answers. */
function answeringClose(
  blocks: readonly Block[],
  { event_id: event, turn_id: turn }: { readonly event_id: string; readonly turn_id: string },
): Block | undefined {
  const close = blocks.find((block) => block.turn === turn && block.type === 'turn.close');
  if (!close || !isUnanswered(fieldsOf(close.data), event)) return close;
  const next = blocks.find(({ type, seq }) => type === 'turn.open' && seq > close.seq);
  return next && answeringClose(blocks, { event_id: event, turn_id: next.turn });
}

function toCommon(data: Readonly<Record<string, unknown>>) {
  return {
    text: typeof data['text'] === 'string' ? data['text'] : '',
    degraded: data['degraded'] === true,
    output: data['output'],
    citations: listOf<OutputCitation>(data['citations']),
    files: listOf<FileRef>(data['files']),
    ...(data['calls'] === undefined ? {} : { calls: listOf<HandedOffCall>(data['calls']) }),
    sources: listOf<Source>(data['sources']),
    usage: toUsage(fieldsOf(data['usage'])),
    usageByRole: Object.fromEntries(
      Object.entries(fieldsOf(data['usage_by_role'])).map(([role, usage]) => [
        role,
        toUsage(fieldsOf(usage)),
      ]),
    ),
  };
}

/** Rows as the server of this version writes them. */
function listOf<Row>(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value : [];
}

function toUsage(usage: Readonly<Record<string, unknown>>): Usage {
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  return {
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cacheReadTokens: count('cache_read_tokens'),
    costUsd: count('cost_usd'),
  };
}
