import type { JsonObject } from '../../../base/json.ts';
import { callsOf, execTool, type ParsedReply } from './reply.ts';

/** The decision as a model would write it in channels. Other roles answer in plain text. */
export function toProtocolText(reply: ParsedReply): string {
  if (reply.raw !== undefined) return reply.raw;
  return reply.role === 'decision' ? toChannels(reply) : toPlain(reply);
}

function toChannels(reply: ParsedReply): string {
  const final = toFinal(reply);
  return [
    channel('thinking', reply.thinking),
    channel('timeline_text', reply.timeline_text),
    toCanvas(reply),
    ...toCalls(reply),
    final ? decision(final) : '',
    channel('internal', reply.internal),
    channel('summary', reply.summary),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

export function toCanvas({ canvas }: ParsedReply): string {
  const { text, ...attributes } = typeof canvas === 'string' ? { text: canvas } : (canvas ?? {});
  return channel('canvas', text, attributes);
}

function toCalls(reply: ParsedReply): readonly string[] {
  return toDecisions(reply).flatMap((body, index) => {
    const isProgram = execTool.test(callsOf(reply)[index]?.tool ?? '');
    return isProgram ? [decision(body), channel('code', reply.code)] : [decision(body)];
  });
}

/** The decision object of each call. */
export function toDecisions(reply: ParsedReply): readonly JsonObject[] {
  return callsOf(reply).map(({ tool, input, notes }, index) => {
    const said = notes ?? (index === 0 ? reply.notes : undefined) ?? '';
    return { action: 'call_tool', notes: said, tool_call: { tool_id: tool, params: input } };
  });
}

/** The decision object that ends the turn, if the reply has one. */
export function toFinal({ exit, answer, followups, output }: ParsedReply): JsonObject | undefined {
  if (answer === undefined && output === undefined) return undefined;
  return {
    action: exit ? 'exit' : 'complete',
    notes: '',
    ...(answer !== undefined && { final_answer: answer }),
    ...(followups !== undefined && { suggested_followups: followups }),
    ...(output !== undefined && { output }),
  };
}

function toPlain({ answer, summary, output }: ParsedReply): string {
  return answer ?? summary ?? (output === undefined ? '' : JSON.stringify(output));
}

export function decision(body: JsonObject): string {
  return channel('ReactDecisionOutV2', JSON.stringify(body));
}

export function channel(
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
