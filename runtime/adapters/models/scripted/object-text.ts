import type { JsonObject } from '../../../base/json.ts';
import { toDecisions, toFinal } from './protocol-text.ts';
import { callsOf, execTool, type ParsedReply } from './reply.ts';

/** The reply as decision objects, one for each action: what has a channel elsewhere is a field of the first or the last. */
export function toObjectText(reply: ParsedReply): string {
  const final = toFinal(reply);
  const decisions = [...toDecisions(reply).map((each, index) => withProgram(each, reply, index))];
  const all = final ? [...decisions, final] : decisions;
  const objects = all.length === 0 ? [{}] : all;
  return objects
    .map((each, index) => ({
      ...(index === 0 ? before(reply) : {}),
      ...each,
      ...(index === objects.length - 1 ? after(reply) : {}),
    }))
    .map((each) => JSON.stringify(each))
    .join('\n');
}

function withProgram(decision: JsonObject, reply: ParsedReply, index: number): JsonObject {
  const { tool = '', input = {} } = callsOf(reply)[index] ?? {};
  if (!execTool.test(tool) || reply.code === undefined) return decision;
  return { ...decision, tool_call: { tool_id: tool, params: { ...input, code: reply.code } } };
}

function before({ thinking, timeline_text, canvas }: ParsedReply): JsonObject {
  const page = typeof canvas === 'string' ? { text: canvas } : canvas;
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(timeline_text === undefined ? {} : { timeline_text }),
    ...(page === undefined ? {} : { canvas: pageOf(page) }),
  };
}

type Page = Exclude<ParsedReply['canvas'], string | undefined>;

/** The text comes last: what the page is called must be known before. */
function pageOf({ name, mime, title, text }: Page): JsonObject {
  return {
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(title === undefined ? {} : { title }),
    text,
  };
}

function after({ internal, summary }: ParsedReply): JsonObject {
  return {
    ...(internal === undefined ? {} : { internal }),
    ...(summary === undefined ? {} : { summary }),
  };
}
