import { fieldsOf } from './to-event.ts';
import type { ChatEvent, CloseReason, FileRef, Source, TurnResult, Usage } from './types.ts';

/** What a turn came to, from the event that ended it. */
export function toResult(event: ChatEvent): TurnResult | undefined {
  if (event.type !== 'chat.complete' && event.type !== 'chat.error') return undefined;
  const data = fieldsOf(event.data);
  const common = {
    text: typeof data['text'] === 'string' ? data['text'] : '',
    degraded: data['degraded'] === true,
    output: data['output'],
    files: listOf<FileRef>(data['files']),
    sources: listOf<Source>(data['sources']),
    usage: toUsage(fieldsOf(data['usage'])),
  };
  if (event.type === 'chat.complete') return { reason: event.data.reason, ...common };
  const { code, message } = event.data;
  const reason: CloseReason = 'failed';
  return { reason, ...common, error: { code, message } };
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
