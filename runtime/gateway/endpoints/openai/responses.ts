import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { ResponseAnswer } from '../../projections/openai/response-answer.ts';
import { readTurn } from '../turn-answer.ts';
import { streamTurn } from '../turn-stream.ts';
import { findResponseById } from './find-response.ts';
import { conversationHeader, setTurnHeaders, takesProgress, toBody, whenGone } from './respond.ts';
import { type ResponseRequest, responseRequest, toMessages } from './response-request.ts';
import { snapshot, streamOf } from './stored-responses.ts';
import { type AgentFields, takeTurn } from './take-turn.ts';
import { type FieldNames, outputOf, toFunction, toTurnRequest } from './turn-request.ts';
import { webSearchOptions } from './web-search.ts';

/** `POST /v1/responses`. */
export async function postResponse(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const request = parseInput(responseRequest, await jsonOf(context));
  const { model, background, stream, previous_response_id: previous } = request;
  const output = outputOf(request.text?.format);
  const turn = await toTurnRequest(context, parts, {
    ...{ model, messages: toMessages(request), place: 'input', ...fieldsOf(request) },
    conversation: await conversationOf(context, parts, request),
    functions: functionsOf(request),
    output,
  });
  const taken = await takeTurn(context, parts, turn);
  setTurnHeaders(context, taken);
  const json = output !== undefined;
  const options = {
    ...{ model, background: background === true, previous: previous ?? null, json },
    withProgress: takesProgress(context),
  };
  const onGone = background === true ? undefined : whenGone(context, parts, { taken, turn });
  if (stream === true)
    return streamTurn(context, parts, { ...taken, kind: streamOf(options), onGone });
  if (background === true)
    return snapshot(context, parts, { row: taken.row, turn: taken.event.turn, options });
  const kind = { open: () => new ResponseAnswer(options), isResumable: false };
  const gone = context.req.raw.signal;
  const frames = await readTurn(parts, { ...taken, kind }, { gone });
  if (gone.aborted) onGone?.();
  return toBody(context, frames?.at(-1)?.data);
}

/** The conversation that a request continues: by its id, its last response, or the header. */
async function conversationOf(
  context: Context<Env>,
  parts: HttpParts,
  { conversation, previous_response_id: previous }: ResponseRequest,
): Promise<string | undefined> {
  if (typeof previous !== 'string') {
    const named = typeof conversation === 'string' ? conversation : conversation?.id;
    return named ?? context.req.header(conversationHeader);
  }
  if (conversation !== undefined && conversation !== null) {
    const message = 'previous_response_id: use either previous_response_id or conversation';
    throw new Refusal('invalid_input', message);
  }
  const found = await findResponseById(context, parts, previous);
  if (found) return found.row.id;
  const message = `previous_response_id: response ${previous.slice(0, 200)} not found`;
  const facts = { reason: 'previous_response_not_found' };
  throw new Refusal('invalid_input', message, { facts });
}

/** `code_interpreter` and `web_search` ask for the same as the fields of Chat Completions. */
function fieldsOf(request: ResponseRequest): {
  readonly fields: AgentFields;
  readonly names: FieldNames;
} {
  const tools = (request.tools ?? []).map((tool, index) => ({
    tool,
    place: `tools[${index}].type`,
  }));
  const program = tools.find(({ tool }) => tool.type === 'code_interpreter');
  const search = tools.find(({ tool }) => tool.type.startsWith('web_search'));
  return {
    fields: {
      ...request,
      ...(program ? { enable_code_execution: true } : {}),
      ...(search ? { web_search_options: webSearchOptions.parse(search.tool) } : {}),
    },
    names: {
      ...(program ? { enable_code_execution: program.place } : {}),
      ...(search ? { web_search_options: search.place } : {}),
    },
  };
}

function functionsOf({ tools, tool_choice }: ResponseRequest) {
  if (tool_choice === 'none') return [];
  return (tools ?? []).flatMap((tool) => (tool.type === 'function' ? [toFunction(tool)] : []));
}
