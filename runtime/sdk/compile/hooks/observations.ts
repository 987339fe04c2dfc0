import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Block } from '../../../timeline/block.ts';
import type { HookPoint } from '../../contract/runtime-hooks.ts';
import { toJson } from '../validate/zod-schema.ts';

type Observation = {
  readonly point: Extract<HookPoint, `observe.${string}`>;
  readonly subject: Json;
};

/** What observers are given for one block: the block, the reply that it records, the text that people are shown. */
export function observationsOf(block: Block): readonly Observation[] {
  const reply = repliedIn(block);
  const shown = shownIn(block);
  return [
    { point: 'observe.block', subject: toJson(block) },
    ...(reply ? [{ point: 'observe.reasoning', subject: reply } as const] : []),
    ...(shown ? [{ point: 'observe.shown', subject: shown } as const] : []),
  ];
}

/** A reply in a round: a decision or the answer written from the record. Other calls have other roles. */
function repliedIn({ type, turn, data }: Block): JsonObject | undefined {
  if (type !== 'model.call' || !isJsonObject(data)) return undefined;
  const { role = 'decision', unread, actions, model = '', finish = '' } = data;
  const isReply = (role === 'decision' || role === 'answer') && unread !== true;
  if (!isReply || !Array.isArray(actions)) return undefined;
  return { turn, role, model, finish, actions: actions.flatMap(toAction) };
}

function toAction(action: Json): JsonObject[] {
  if (!isJsonObject(action)) return [];
  const { kind = '', tool, input } = action;
  return [
    { kind, ...(tool === undefined ? {} : { tool }), ...(input === undefined ? {} : { input }) },
  ];
}

/** By type of block: where clients show its text. */
const markers: ReadonlyMap<string, string> = new Map([
  ['react.thinking', 'thinking'],
  ['react.notes', 'timeline_text'],
  ['timeline_text', 'timeline_text'],
  ['react.code', 'code'],
  ['canvas', 'canvas'],
  ['assistant.completion', 'answer'],
  ['react.tool.progress', 'progress'],
]);

function shownIn({ type, turn, text }: Block): JsonObject | undefined {
  const marker = markers.get(type);
  return marker === undefined || text === undefined ? undefined : { turn, marker, text };
}
