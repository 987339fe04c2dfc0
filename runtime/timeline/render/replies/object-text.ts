import type { JsonObject } from '../../../base/json.ts';
import { toFields } from './channel-text.ts';
import { inputWithProgram, type PastReply } from './past-reply.ts';

/** A reply of `json` or `plain`: one decision object for each action. What other protocols write in channels are fields. */
export function toObjects(reply: PastReply): string {
  const actions: readonly JsonObject[] = [
    ...reply.calls.map((call) => ({
      action: 'call_tool',
      notes: call.notes,
      tool_call: { tool_id: call.tool, params: inputWithProgram(call) },
    })),
    ...reply.answers.map(toFields),
  ];
  const [first = {}, ...others] = actions;
  const whole = { ...before(reply), ...first, ...after(reply) };
  return [whole, ...others]
    .filter((object) => Object.keys(object).length > 0)
    .map((object) => JSON.stringify(object))
    .join('\n');
}

function before({ thinking, texts }: PastReply): JsonObject {
  const fields = new Map<string, string>();
  const add = (field: string, text: string) => {
    const known = fields.get(field);
    fields.set(field, known === undefined ? text : `${known}\n\n${text}`);
  };
  for (const text of thinking) add('thinking', text);
  for (const { channel, text } of texts) {
    add(channel === 'internal' ? 'internal' : 'timeline_text', text);
  }
  return Object.fromEntries(fields);
}

function after({ canvases, summaries }: PastReply): JsonObject {
  const canvas = canvases.at(-1);
  return {
    ...(canvas ? { canvas: { ...canvas } } : {}),
    ...(summaries.length > 0 ? { summary: summaries.join('\n\n') } : {}),
  };
}
