import type { JsonObject } from '../../../base/json.ts';
import { toFields } from './channel-text.ts';
import { inputWithProgram, type PastReply } from './past-reply.ts';

/**
 * A reply of `json` or `plain`: one decision object for each action, with its keys in the order of the instruction. What
 * other protocols write in channels are fields of the first object.
 */
export function toObjects(reply: PastReply): string {
  const actions: readonly { readonly head: JsonObject; readonly rest: JsonObject }[] = [
    ...reply.calls.map((call) => ({
      head: { action: 'call_tool', ...(call.notes === '' ? {} : { notes: call.notes }) },
      rest: { tool_call: { tool_id: call.tool, params: inputWithProgram(call) } },
    })),
    ...reply.answers.map((answer) => {
      const { action, ...rest } = toFields(answer);
      return { head: action === undefined ? {} : { action }, rest };
    }),
  ];
  const [first = { head: {}, rest: {} }, ...others] = actions;
  const whole = {
    ...before(reply),
    ...first.head,
    ...canvasOf(reply),
    ...first.rest,
    ...after(reply),
  };
  return [whole, ...others.map(({ head, rest }) => ({ ...head, ...rest }))]
    .filter((object) => Object.keys(object).length > 0)
    .map((object) => JSON.stringify(object))
    .join('\n');
}

/** Several texts of one channel are one field. */
function before({ thinking, texts }: PastReply): JsonObject {
  const fields = new Map<string, string>();
  const add = (field: string, text: string) => {
    const known = fields.get(field);
    fields.set(field, known === undefined ? text : `${known}\n\n${text}`);
  };
  for (const text of thinking) add('thinking', text);
  for (const { channel, text } of texts) add(channel, text);
  return Object.fromEntries(fields);
}

/** The last one: a page of the same name replaces the one before. */
function canvasOf({ canvases }: PastReply): JsonObject {
  const canvas = canvases.at(-1);
  return canvas ? { canvas: { ...canvas } } : {};
}

function after({ summaries }: PastReply): JsonObject {
  return summaries.length > 0 ? { summary: summaries.join('\n\n') } : {};
}
