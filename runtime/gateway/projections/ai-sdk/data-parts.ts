import type { JsonObject } from '../../../base/json.ts';
import { textOf } from '../../feed/wire-json.ts';

/** A part of a UI message stream. `type` begins with `data-`. */
export type DataChunk = {
  readonly type: string;
  readonly id?: string;
  readonly data: JsonObject;
  readonly transient?: true;
};

type DataPart = {
  readonly name: string;
  /** The field whose value identifies the part: a later one replaces an earlier one. Absent: shown once, not kept. */
  readonly key?: string;
  /** A second field that identifies it, where it is there. */
  readonly part?: string;
};

/** What a UI message has no part for, by the type of its envelope. */
const parts: ReadonlyMap<string, DataPart> = new Map([
  ['plan', { name: 'plan', key: 'plan_id' }],
  ['chat.followups', { name: 'followups', key: '' }],
  ['chat.tool.progress', { name: 'progress', key: 'call' }],
  ['chat.exec.status', { name: 'exec', key: 'call' }],
  ['chat.exec.output', { name: 'exec-output' }],
  ['chat.exec.call', { name: 'exec-call' }],
  ['chat.doubt', { name: 'doubt', key: 'call' }],
  ['chat.compaction', { name: 'compaction', key: 'compaction_id' }],
  ['agent.call', { name: 'agent', key: 'call', part: 'step' }],
  ['agent.plan', { name: 'agent-plan', key: 'call' }],
  ['agent.result', { name: 'agent-result', key: 'call', part: 'step' }],
  ['secret.required', { name: 'secret', key: 'id' }],
  ['tools.selecting', { name: 'selecting' }],
  ['event.accepted', { name: 'event', key: 'message_id' }],
  ['event.recalled', { name: 'event-recalled', key: 'event_id' }],
]);

/** Undefined: the type has parts of its own, or is not shown. */
export function toDataChunk(type: string, data: JsonObject): DataChunk | undefined {
  const part = parts.get(type);
  if (part === undefined) return undefined;
  const { name, key, part: more = '' } = part;
  if (key === undefined) return { type: `data-${name}`, data, transient: true };
  const id = [data[key], data[more]]
    .map(textOf)
    .filter((each) => each !== '')
    .join('.');
  return { type: `data-${name}`, id: id || name, data };
}
