import type { JsonObject } from '../../../base/json.ts';
import { callsOf, execTool, type ParsedReply } from './reply.ts';

/** Marks where a reply pauses: at this mark in its text, or else after the thinking, or else at the start. */
export const holdMark = '{{hold}}';

/** The reply as a model would write it: channels for a decision, plain text for every other role. */
export function toProtocolText(reply: ParsedReply): string {
  const text = reply.raw ?? (reply.role === 'decision' ? toChannels(reply) : toPlain(reply));
  if (reply.hold === undefined || text.includes(holdMark)) return text;
  const at = Math.max(0, text.search(/<\/channel:thinking\b/));
  return text.slice(0, at) + holdMark + text.slice(at);
}

function toChannels(reply: ParsedReply): string {
  const { canvas } = reply;
  const picture = typeof canvas === 'string' ? { text: canvas } : canvas;
  return [
    channel('thinking', reply.thinking),
    channel('timeline_text', reply.timeline_text),
    channel('canvas', picture?.text, {
      name: picture?.name,
      mime: picture?.mime,
      title: picture?.title,
    }),
    ...toCalls(reply),
    toEnd(reply),
    channel('internal', reply.internal),
    channel('summary', reply.summary),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function toCalls(reply: ParsedReply): readonly string[] {
  return callsOf(reply).flatMap(({ tool, input, notes }, index) => {
    const said = notes ?? (index === 0 ? reply.notes : undefined) ?? '';
    const call = { action: 'call_tool', notes: said, tool_call: { tool_id: tool, params: input } };
    return execTool.test(tool) ? [decision(call), channel('code', reply.code)] : [decision(call)];
  });
}

function toEnd({ exit, answer, followups, output }: ParsedReply): string {
  if (answer === undefined && output === undefined) return '';
  return decision({
    action: exit ? 'exit' : 'complete',
    notes: '',
    ...(answer !== undefined && { final_answer: answer }),
    ...(followups !== undefined && { suggested_followups: followups }),
    ...(output !== undefined && { output }),
  });
}

function toPlain({ answer, summary, output }: ParsedReply): string {
  return answer ?? summary ?? (output === undefined ? '' : JSON.stringify(output));
}

function decision(body: JsonObject): string {
  return channel('ReactDecisionOutV2', JSON.stringify(body));
}

function channel(
  name: string,
  text: string | undefined,
  attributes: Readonly<Record<string, string | undefined>> = {},
): string {
  if (text === undefined) return '';
  const id = idFor(text);
  const written = Object.entries({ id, ...attributes })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${value}"`);
  return `<channel:${name}${written.join('')}>${text}</channel:${name}${id ? ` id="${id}"` : ''}>`;
}

/** A text that contains or resembles the end tag of its channel needs a channel that is closed by id. */
function idFor(text: string): string | undefined {
  if (!/`|channel:/i.test(text)) return undefined;
  let number = 1;
  while (text.includes(`"c${number}"`)) number += 1;
  return `c${number}`;
}
