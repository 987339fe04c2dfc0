import { writeSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Draft } from '../timeline/block.ts';
import type { TimelineStore } from '../timeline/ports/store.ts';

const stderr = 2;
/** A test that answers the request does so within this time. */
const patienceMs = 2_000;

type Written = Pick<Draft, 'type' | 'call' | 'data'>;

/** Wraps a store to print on stderr what a turn waits for. Without it, a test that does not answer only times out. */
export function withWaitReminders(store: TimelineStore): TimelineStore {
  const waiting = new Map<string, NodeJS.Timeout>();
  const see = ({ type, call, data }: Written) => {
    const facts = isJsonObject(data) ? data : {};
    const text = reminderFor(type, facts);
    if (text === undefined) return;
    const id = String(call ?? facts['request'] ?? facts['call']);
    clearTimeout(waiting.get(id));
    if (text === '') return;
    const timer = setTimeout(() => writeSync(stderr, `${text}\n`), patienceMs);
    waiting.set(id, timer.unref());
  };
  const append: TimelineStore['append'] = async (key, request, options) => {
    const appended = await store.append(key, request, options);
    request.blocks.forEach(see);
    return appended;
  };
  const accept: TimelineStore['accept'] = async (request, options) => {
    const accepted = await store.accept(request, options);
    request.events.forEach(see);
    return accepted;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'append') return append;
      if (name === 'accept') return accept;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const ends = ['react.tool.result', 'approval.decision', 'external.result'];

/** '': the call no longer waits. Undefined: the block is not about a wait. */
function reminderFor(type: string, facts: JsonObject): string | undefined {
  const { tool, kind, title, request } = facts;
  if (ends.includes(type)) return '';
  if (type === 'approval.request') {
    return `the turn waits for an approval of ${tool ?? kind} (“${title}”): call conversation.decide('${request}', { allow: true })`;
  }
  if (type !== 'external.call') return undefined;
  return `the turn waits for a client that runs ${tool}: runtime.connect({ tools: { '${tool}': … } })`;
}
