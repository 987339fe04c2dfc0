import type { JsonObject } from '../../../base/json.ts';
import type { ReplyPiece } from '../../../channels/protocol/reply-piece.ts';
import { finalToolName, wireName } from '../../../channels/protocol/tool-names.ts';
import { channel, decision, toCanvas, toDecisions, toFinal } from './protocol-text.ts';
import { callsOf, execTool, type ParsedReply } from './reply.ts';

/** The reply with a provider's tool calling: calls are calls, everything else is text. */
export function toNativePieces(reply: ParsedReply): readonly ReplyPiece[] {
  const calls = callsOf(reply);
  const { followups = [] } = reply;
  const before = [
    channel('thinking', reply.thinking),
    channel('timeline_text', reply.timeline_text),
    toCanvas(reply),
    calls.length === 0 ? answerText(reply) : '',
    isPlainAnswer(reply) && followups.length > 0 ? channel('followups', followups.join('\n')) : '',
    channel('internal', reply.internal),
    channel('summary', reply.summary),
  ];
  const after = calls.length > 0 && reply.output === undefined ? toFinal(reply) : undefined;
  return [
    ...textPiece(before.filter((text) => text !== '').join('\n')),
    ...calls.flatMap(({ tool, input }, index) => {
      const said = toDecisions(reply)[index]?.['notes'];
      const notes = typeof said === 'string' && said !== '' ? channel('notes', said) : '';
      const { code } = reply;
      const program = execTool.test(tool) && code !== undefined ? { code } : {};
      return [...textPiece(notes), ...callPieces(index, wireName(tool), { ...input, ...program })];
    }),
    ...(reply.output === undefined ? [] : finalCall(reply, calls.length)),
    ...textPiece(after ? decision(after) : ''),
  ];
}

function answerText(reply: ParsedReply): string {
  if (isPlainAnswer(reply)) return reply.answer ?? '';
  const end = reply.output === undefined ? toFinal(reply) : undefined;
  return end ? decision(end) : '';
}

/** Plain text cannot say that the turn ends early, and must not look like anything else. */
function isPlainAnswer({ answer, output, exit, call }: ParsedReply): boolean {
  if (answer === undefined || output !== undefined || exit || call !== undefined) return false;
  return answer.trim() === answer && !/<|^[[{`]|^$/m.test(answer);
}

function finalCall({ output, answer, followups }: ParsedReply, index: number) {
  const input: JsonObject = {
    ...(output === undefined ? {} : { output }),
    ...(answer === undefined ? {} : { final_answer: answer }),
    ...(followups === undefined ? {} : { suggested_followups: followups }),
  };
  return callPieces(index, finalToolName, input);
}

function callPieces(index: number, name: string, input: JsonObject): readonly ReplyPiece[] {
  const call = `call_${index + 1}`;
  const text = JSON.stringify(input);
  return [
    { kind: 'call', call, name },
    { kind: 'arguments', call, text },
    { kind: 'call_end', call },
  ];
}

function textPiece(text: string): readonly ReplyPiece[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}
