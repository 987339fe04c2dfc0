import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { ChatAnswer } from '../../projections/openai/chat-answer.ts';
import { chatStream } from '../../projections/openai/openai.ts';
import { readTurn } from '../turn-answer.ts';
import { streamTurn } from '../turn-stream.ts';
import { type ChatMessageParam, type ChatRequest, chatRequest } from './chat-request.ts';
import { promptOf } from './content-parts.ts';
import { conversationHeader, setTurnHeaders, toBody, whenGone } from './respond.ts';
import { type CallResult, type TurnRequest, takeTurn, turnOptions } from './take-turn.ts';
import { textOfContent, transcriptOf } from './transcript.ts';

/** `POST /v1/chat/completions`. */
export async function postChatCompletion(
  context: Context<Env>,
  parts: HttpParts,
): Promise<Response> {
  const request = parseInput(chatRequest, await jsonOf(context));
  const turn = await toTurnRequest(context, parts, request);
  const taken = await takeTurn(context, parts, turn);
  setTurnHeaders(context, taken);
  const { model, stream_options } = request;
  const onGone = whenGone(context, parts, { taken, turn });
  if (request.stream === true) {
    const usage = stream_options?.include_usage === true;
    return streamTurn(context, parts, { ...taken, kind: chatStream({ model, usage }), onGone });
  }
  const kind = { open: () => new ChatAnswer({ model }), isResumable: false };
  const gone = context.req.raw.signal;
  const frames = await readTurn(parts, { ...taken, kind }, { gone });
  if (gone.aborted) onGone?.();
  return toBody(context, frames?.at(-1)?.data);
}

async function toTurnRequest(
  context: Context<Env>,
  parts: HttpParts,
  request: ChatRequest,
): Promise<TurnRequest> {
  const { messages, tools, tool_choice } = request;
  const latest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const results = messages.flatMap((message, index) => resultOf(message, { index, latest }));
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const prompted = messages[at];
  const conversation = context.req.header(conversationHeader);
  const isPrompted = prompted?.role === 'user' && at >= latest;
  if (!isPrompted && results.length === 0) {
    const expected = 'the last message must be of the user, or the result of a tool';
    throw new Refusal('invalid_input', `messages: ${expected}`);
  }
  const functions = tool_choice === 'none' ? [] : (tools ?? []);
  const isNew = conversation === undefined && results.length === 0;
  return {
    model: request.model,
    conversation,
    results,
    options: turnOptions(request, functions.map(toFunction)),
    ...(isPrompted && {
      prompt: await promptOf(context, prompted.content, {
        parts,
        place: `messages[${at}].content`,
      }),
    }),
    transcript: isNew ? transcriptOf(messages.slice(0, at)) : undefined,
  };
}

/** Results after the last message of the assistant; earlier ones are history. */
function resultOf(
  message: ChatMessageParam,
  { index, latest }: { index: number; latest: number },
): readonly CallResult[] {
  if (message.role !== 'tool' || index < latest) return [];
  const { tool_call_id: call, content } = message;
  const place = `messages[${index}].tool_call_id`;
  return [{ call, content: textOfContent(content), place }];
}

type FunctionParam = NonNullable<ChatRequest['tools']>[number];

function toFunction({ function: { name, description, parameters } }: FunctionParam) {
  return { name, ...(description ? { description } : {}), ...(parameters ? { parameters } : {}) };
}
