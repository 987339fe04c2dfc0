import type { Context } from 'hono';
import type { Env, HttpParts } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { ChatAnswer } from '../../projections/openai/chat-answer.ts';
import { chatStream } from '../../projections/openai/openai.ts';
import { readTurn } from '../turn-answer.ts';
import { streamTurn } from '../turn-stream.ts';
import { chatRequest } from './chat-request.ts';
import { conversationHeader, setTurnHeaders, toBody, whenGone } from './respond.ts';
import { takeTurn } from './take-turn.ts';
import { outputOf, toFunction, toTurnRequest } from './turn-request.ts';

/** `POST /v1/chat/completions`. */
export async function postChatCompletion(
  context: Context<Env>,
  parts: HttpParts,
): Promise<Response> {
  const request = parseInput(chatRequest, await jsonOf(context));
  const { messages, tools, tool_choice } = request;
  const functions = tool_choice === 'none' ? [] : (tools ?? []);
  const { response_format: format } = request;
  const output = outputOf(
    format?.type === 'json_schema' ? { ...format.json_schema, type: format.type } : format,
  );
  const turn = await toTurnRequest(context, parts, {
    ...{ model: request.model, messages, place: 'messages', fields: request },
    conversation: context.req.header(conversationHeader),
    output,
    functions: functions.map(({ function: each }) => toFunction(each)),
  });
  const taken = await takeTurn(context, parts, turn);
  setTurnHeaders(context, taken);
  const { model, stream_options } = request;
  const json = output !== undefined;
  const onGone = whenGone(context, parts, { taken, turn });
  if (request.stream === true) {
    const usage = stream_options?.include_usage === true;
    return streamTurn(context, parts, {
      ...taken,
      kind: chatStream({ model, usage, json }),
      onGone,
    });
  }
  const kind = { open: () => new ChatAnswer({ model, json }), isResumable: false };
  const gone = context.req.raw.signal;
  const frames = await readTurn(parts, { ...taken, kind }, { gone });
  if (gone.aborted) onGone?.();
  return toBody(context, frames?.at(-1)?.data);
}
