import type { JsonObject } from '../../../base/json.ts';
import type { PastAnswer, PastCall, PastCanvas, PastReply } from './past-reply.ts';

/** A reply in the channels that `channels` asks for. Reading it again gives what it was made from. */
export function toChannels(reply: PastReply): string {
  return [
    ...reply.thinking.map((text) => channel('thinking', text)),
    ...reply.texts.map(({ channel: name, text }) => channel(name, text)),
    ...reply.calls.flatMap(toDecision),
    ...reply.answers.map((answer) => decision(toFields(answer))),
    ...reply.canvases.map(toCanvas),
    ...reply.summaries.map((text) => channel('summary', text)),
  ].join('\n');
}

function toDecision({ tool, notes, input, program }: PastCall): readonly string[] {
  // Empty notes would be an example to copy.
  const said = notes === '' ? {} : { notes };
  const call = { action: 'call_tool', ...said, tool_call: { tool_id: tool, params: input } };
  return [decision(call), ...(program === undefined ? [] : [toCode(program)])];
}

/** The fields of a decision that ends a turn. */
export function toFields({ action, text, followups, output }: PastAnswer): JsonObject {
  return {
    action,
    final_answer: text,
    ...(followups.length > 0 ? { suggested_followups: followups } : {}),
    ...(output === undefined ? {} : { output }),
  };
}

function decision(fields: JsonObject): string {
  return channel('ReactDecisionOutV2', JSON.stringify(fields));
}

/** A program always has an id, as the instruction asks. */
function toCode(program: string): string {
  const id = freeId(program);
  return `<channel:code id="${id}">\n${program.replace(/^\n|\n$/g, '')}\n</channel:code id="${id}">`;
}

export function toCanvas({ name, mime, title, text }: PastCanvas): string {
  return channel('canvas', text, { name, mime, title });
}

/** A text with anything like a tag or a quotation in it is closed by an id that it does not contain. */
export function channel(
  name: string,
  text: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): string {
  const id = /`|channel:|<\/?think/i.test(text) ? freeId(text) : undefined;
  const open = Object.entries({ id, ...attributes }).map(([key, value]) => attribute(key, value));
  return `<channel:${name}${open.join('')}>${text}</channel:${name}${attribute('id', id)}>`;
}

function freeId(text: string): string {
  let number = 1;
  while (text.includes(`"c${number}"`)) number += 1;
  return `c${number}`;
}

/** A value that no attribute can have is omitted. */
function attribute(key: string, value: string | undefined): string {
  if (value === undefined || /[<\p{Cc}]/u.test(value)) return '';
  if (!value.includes('"')) return ` ${key}="${value}"`;
  return value.includes("'") ? '' : ` ${key}='${value}'`;
}
