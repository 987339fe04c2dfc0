import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import {
  assertDispatchable,
  assertRunsPrograms,
  assertSearches,
} from '../../intake/check-options.ts';
import type { ChatMessageParam } from './chat-request.ts';
import { promptOf } from './content-parts.ts';
import {
  type AgentFields,
  agentOfModel,
  type CallResult,
  type TurnRequest,
  turnOptions,
} from './take-turn.ts';
import { textOfContent, transcriptOf } from './transcript.ts';

export type FieldNames = Partial<Record<keyof AgentFields, string>>;

/** A request in the form of Chat Completions, whichever protocol it came with. */
type MessagesRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessageParam[];
  /** The field with the messages. */
  readonly place: string;
  readonly conversation: string | undefined;
  readonly functions: readonly JsonObject[];
  readonly fields: AgentFields;
  /** The names of `fields` in the request. */
  readonly names?: FieldNames | undefined;
  /** JSON Schema of the structured output. */
  readonly output: JsonObject | undefined;
};

/** What is new in the messages of a request: results of calls, and the message of the user. */
export async function toTurnRequest(
  context: Context<Env>,
  parts: HttpParts,
  { model, messages, place, conversation, functions, fields, names, output }: MessagesRequest,
): Promise<TurnRequest> {
  assertAllowed(parts, { model, fields, names });
  const latest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const results = messages.flatMap((message, index) =>
    index < latest ? [] : resultOf(message, `${place}[${index}]`),
  );
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const prompted = messages[at];
  const isPrompted = prompted?.role === 'user' && at >= latest;
  if (!isPrompted && results.length === 0) {
    const expected = 'the last message must be of the user, or the result of a tool';
    throw new Refusal('invalid_input', `${place}: ${expected}`);
  }
  const isNew = conversation === undefined && results.length === 0;
  const where = { parts, place: `${place}[${at}].content` };
  return {
    model,
    conversation,
    results,
    options: turnOptions(fields, { tools: functions, output }),
    ...(isPrompted && { prompt: await promptOf(context, prompted.content, where) }),
    transcript: isNew ? transcriptOf(messages.slice(0, at)) : undefined,
  };
}

function assertAllowed(
  { deps }: HttpParts,
  { model, fields, names = {} }: Pick<MessagesRequest, 'model' | 'fields' | 'names'>,
): void {
  const {
    enable_code_execution: exec,
    web_search_options: search,
    tool_dispatch_url: url,
  } = fields;
  const placeOf = (field: keyof AgentFields) => names[field] ?? field;
  assertDispatchable(url, { dispatch: deps.dispatch, place: placeOf('tool_dispatch_url') });
  const { bundle_id: bundle, agent_id: agent } = agentOfModel({ deps }, model);
  const abilities = { agent, ...deps.bundles.allows(bundle, agent) };
  if (exec === true) assertRunsPrograms(abilities, placeOf('enable_code_execution'));
  if (search) assertSearches(abilities, placeOf('web_search_options'));
}

function resultOf(message: ChatMessageParam, place: string): readonly CallResult[] {
  if (message.role !== 'tool') return [];
  const { tool_call_id: call, content } = message;
  return [{ call, content: textOfContent(content), place: `${place}.tool_call_id` }];
}

type FunctionParam = {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: JsonObject | null | undefined;
};

type Format = {
  readonly type: string;
  readonly schema?: JsonObject | null | undefined;
};

/** The schema of a response format; undefined: the answer is text. */
export function outputOf(format: Format | null | undefined): JsonObject | undefined {
  if (format?.type === 'json_object') return { type: 'object' };
  return format?.type === 'json_schema' ? (format.schema ?? { type: 'object' }) : undefined;
}

/** As an option of a message. */
export function toFunction({ name, description, parameters }: FunctionParam): JsonObject {
  return { name, ...(description ? { description } : {}), ...(parameters ? { parameters } : {}) };
}
