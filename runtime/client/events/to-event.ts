import type { ChatEvent, Delta } from '../api/types.ts';
import type { WireEnvelope } from '../protocol/envelope.ts';

const typesWithName = new Set([
  'chat.start',
  'chat.delta',
  'chat.tool',
  'chat.approval',
  'chat.files',
  'chat.citations',
  'chat.followups',
  'chat.compaction',
  'chat.complete',
  'chat.error',
  'chat.service',
  'conv.status',
]);

/** Converts wire names to camelCase. A type without its own name becomes a `chat.step`, identified by `event.step`. */
export function toEvent(envelope: WireEnvelope): ChatEvent {
  const { v: _, conversation_id, turn_id, type, ...rest } = envelope;
  const event = typesWithName.has(type) ? rest.event : { ...rest.event, step: type };
  const known = {
    ...rest,
    event,
    type: typesWithName.has(type) ? type : 'chat.step',
    conversationId: conversation_id,
    turnId: turn_id,
    ...(type === 'chat.service' && { data: toService(rest.data ?? {}) }),
  };
  // A server of this version sends what the types say. A newer server may send more, never less.
  return known as ChatEvent;
}

function toService({ retry_after_ms, ...data }: Readonly<Record<string, unknown>>) {
  return retry_after_ms === undefined ? data : { ...data, retryAfterMs: retry_after_ms };
}

/** Where a block made from a stream is shown, by block type. */
const markers: ReadonlyMap<string, string> = new Map([
  ['react.thinking', 'thinking'],
  ['react.notes', 'timeline_text'],
  ['timeline_text', 'timeline_text'],
  ['react.code', 'code'],
  ['canvas', 'canvas'],
  ['chat.completion', 'answer'],
]);

const replaced = new Set(markers.values());

/** Whether the finished text of such a stream arrives as a block. */
export function isReplacedByBlock(marker: string): boolean {
  return replaced.has(marker);
}

export type FinishedStream = {
  readonly stream: string;
  readonly marker: string;
  readonly text: string;
  readonly name?: string;
  readonly mime?: string;
  readonly title?: string;
};

/** The finished text of a stream, if an event carries one. */
export function toFinished(event: ChatEvent): FinishedStream | undefined {
  const marker = event.type === 'chat.step' ? markers.get(event.event.step) : undefined;
  if (marker === undefined || event.type !== 'chat.step') return undefined;
  const { stream, text, name, mime, title } = fieldsOf(event.data);
  if (typeof stream !== 'string' || typeof text !== 'string') return undefined;
  const named = {
    ...(typeof name === 'string' && { name }),
    ...(typeof mime === 'string' && { mime }),
    ...(typeof title === 'string' && { title }),
  };
  return { stream, marker, text, ...named };
}

/** The stream that an event resets. */
export function toReset(event: ChatEvent): string | undefined {
  if (event.type !== 'chat.step' || event.event.step !== 'stream.reset') return undefined;
  const { stream } = fieldsOf(event.data);
  return typeof stream === 'string' ? stream : undefined;
}

/** The missing rest of a finished stream as a delta; undefined if nothing is missing. */
export function toRest(finished: FinishedStream, last: Delta | undefined): Delta | undefined {
  const { stream, marker, text, name, mime, title } = finished;
  const known = last?.text ?? '';
  if (last?.completed || (known === text && known !== '')) return undefined;
  const continues = text.startsWith(known);
  return {
    channel: last?.channel ?? marker,
    instance: last?.instance ?? 0,
    stream,
    marker,
    text: continues ? text.slice(known.length) : text,
    offset: continues ? known.length : 0,
    completed: true,
    ...(name !== undefined && { artifact: name }),
    ...(mime !== undefined && { mime }),
    ...(title !== undefined && { title }),
  };
}

export function fieldsOf(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

/** A subscription may fail while it replays past events, so its cursor may be older than ours. */
export function advancesCursor({ type, data }: WireEnvelope): boolean {
  return type !== 'chat.service' || data?.['code'] === 'unsubscribed';
}

/** The last event of a conversation. */
export function isErased({ type, data }: WireEnvelope): boolean {
  return type === 'chat.service' && data?.['code'] === 'conversation_erased';
}
