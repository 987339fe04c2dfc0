import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Json, JsonObject } from '../../../base/json.ts';
import { parseJson } from '../../../base/json.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { ChatAttachment } from '../../../client/protocol/request-schemas.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { type AgentName, agentNamed } from '../agent-name.ts';
import { toMessageId } from '../foreign-ids.ts';
import { type TakenMessage, takeMessage } from '../take-message.ts';
import { toolRoundsMax } from './limits.ts';
import { conversationWaitingFor } from './waiting-call.ts';
import { toWebSearch } from './web-search.ts';

const kindHeader = 'X-Timeloom-Kind';
const messageKinds = ['prompt', 'followup', 'steer'] as const;
type MessageKind = (typeof messageKinds)[number];

/** What a client of OpenAI asks for, in either protocol. */
export type TurnRequest = {
  readonly model: string;
  /** Undefined: a new one, or the one that waits for the results. */
  readonly conversation: string | undefined;
  /** Results of calls that the client performed. */
  readonly results: readonly CallResult[];
  readonly prompt?: { readonly text: string; readonly attachments: readonly ChatAttachment[] };
  readonly transcript?: string | undefined;
  readonly options: JsonObject;
};

export type CallResult = {
  readonly call: string;
  readonly content: string;
  /** The field that names the call. */
  readonly place: string;
};

export type AgentFields = {
  readonly enable_code_execution?: boolean | null | undefined;
  readonly web_search_options?: Parameters<typeof toWebSearch>[0] | null | undefined;
  readonly max_tool_rounds?: number | null | undefined;
  readonly tool_dispatch_url?: string | null | undefined;
};

/** The options of a turn. Programs run, and the web is searched, only for requests that ask for it. */
export function turnOptions(
  fields: AgentFields,
  {
    tools,
    output,
  }: { readonly tools: readonly JsonObject[]; readonly output?: JsonObject | undefined },
): JsonObject {
  const { tool_dispatch_url: dispatchUrl, web_search_options: search } = fields;
  return {
    max_rounds: Math.min(fields.max_tool_rounds ?? toolRoundsMax, toolRoundsMax),
    exec: fields.enable_code_execution === true,
    web_search: search ? toWebSearch(search) : false,
    ...(tools.length > 0 ? { tools } : {}),
    ...(typeof dispatchUrl === 'string' ? { dispatch_url: dispatchUrl } : {}),
    ...(output ? { output } : {}),
  };
}

/** Refusal `not_found` with the reason `model_not_found`. */
export function agentOfModel({ deps }: Pick<HttpParts, 'deps'>, model: string): AgentName {
  try {
    return agentNamed(deps.bundles, model);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = `model: "${model.slice(0, 200)}" does not exist; GET /v1/models lists the models`;
    throw new Refusal('not_found', message, { facts: { reason: 'model_not_found' } });
  }
}

/** Hands the results and the message of a request to the intake. The last one of them is what the response follows. */
export async function takeTurn(
  context: Context<Env>,
  parts: HttpParts,
  request: TurnRequest,
): Promise<TakenMessage> {
  const agent = agentOfModel(parts, request.model);
  let { conversation } = request;
  let taken: TakenMessage | undefined;
  for (const result of request.results) {
    conversation ??= await conversationOf(context, parts, result);
    taken = await takeMessage(context, parts, toResult(result, conversation));
  }
  if (request.prompt === undefined) {
    if (taken) return taken;
    throw new Refusal(
      'invalid_input',
      'messages: the last message must be of the user, or results of tools',
    );
  }
  const { text, attachments } = request.prompt;
  const key = context.req.header('idempotency-key');
  const kind = kindOf(context);
  const message = {
    ...(key === undefined ? { message_id: parts.deps.ids.next('msg') } : keyedIds(key)),
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
    ...{ ...agent, kind, text, attachments },
    ...(kind === 'steer' ? {} : { options: request.options }),
  };
  return takeMessage(context, { ...parts, transcript: request.transcript }, message);
}

/** What the message is to a running turn. Refusal `invalid_input`. */
function kindOf(context: Context<Env>): MessageKind {
  const kind = context.req.header(kindHeader);
  const known = messageKinds.find((each) => each === (kind ?? 'prompt'));
  if (known !== undefined) return known;
  throw new Refusal('invalid_input', `${kindHeader}: must be ${messageKinds.join(', ')}`);
}

/** The same key gives the same conversation, so that a repeated request finds its answer. */
function keyedIds(key: string): { readonly message_id: string; readonly conversation_id: string } {
  const digest = createHash('sha256').update(`openai ${key}`).digest('hex');
  return { message_id: toMessageId(key), conversation_id: `conv_${digest.slice(0, 20)}` };
}

async function conversationOf(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  result: CallResult,
): Promise<string> {
  const sender = context.get('sender');
  return (await conversationWaitingFor(sender, result, { ...deps, signal })).id;
}

/** Repeating a result is harmless: its message id follows from the call. */
function toResult({ call, content }: CallResult, conversation: string): object {
  return {
    conversation_id: conversation,
    message_id: toMessageId(`openai result ${call}`),
    kind: 'external.result',
    payload: { call, ok: true, ret: toValue(content) },
  };
}

/** Tools return JSON as text; other text stays as it is. */
function toValue(content: string): Json {
  const value = parseJson(content);
  return typeof value === 'object' && value !== null ? JSON.parse(content) : content;
}
