import { z } from 'zod';
import { chatRequest } from '../endpoints/openai/chat-request.ts';
import { responseRequest } from '../endpoints/openai/response-request.ts';
import { responseQuery } from '../endpoints/openai/stored-responses.ts';
import { schemaNames } from './api-schema.ts';
import { fileInParts } from './describe-uploads.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const error = z.object({
  error: z.looseObject({
    message: z.string(),
    type: z.string(),
    code: z.string().nullable(),
    param: z.string().nullable(),
  }),
});
const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int() })),
});
const chunk = z.looseObject({ choices: z.array(z.looseObject({ index: z.int() })) });
const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
});
const responseEvent = z.looseObject({ type: z.string(), sequence_number: z.int() });
const conversation = z.looseObject({ id: z.string(), object: z.literal('conversation') });
const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});
const file = z.looseObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  filename: z.string(),
  created_at: z.int(),
});
const list = (of: z.ZodType) => z.looseObject({ object: z.literal('list'), data: z.array(of) });
const uploadForm = z.object({ file: z.file(), purpose: z.string().optional() });

schemaNames.add(error, { id: 'OpenAiError' });
schemaNames.add(responseRequest, { id: 'ResponseRequest' });
schemaNames.add(response, { id: 'Response' });
schemaNames.add(chatRequest, { id: 'ChatCompletionRequest' });

export const conversationHeaders = {
  'X-Timeloom-Conversation': 'The conversation; send it with the next message.',
};
const requestHeaders = z.object({
  'X-Timeloom-Conversation': z.string().optional(),
  'X-Timeloom-Kind': z.enum(['prompt', 'followup', 'steer']).optional(),
  'Idempotency-Key': z.string().optional(),
});

const turnRefusals = [
  ...['busy', 'not_found', 'conflict', 'turn_closed', 'attachment_refused'],
  ...['call_closed', 'call_expired', 'not_ended'],
];

type Facts = Omit<RouteDescription, 'tag' | 'errors'>;

/** By method and path below a prefix. */
const routes: Readonly<Record<string, Facts>> = {
  'POST /chat/completions': {
    id: 'createChatCompletion',
    summary: 'Sends the last message to an agent, and returns the answer of its turn.',
    description:
      'The model is `bundle/agent`. With `stream` the response is server-sent events that end with `[DONE]`. Functions in `tools` are performed by the client: the turn waits, and the next request carries the results.',
    headers: requestHeaders,
    body: json(chatRequest),
    needsBody: true,
    responses: {
      200: {
        description: 'The completion, or its chunks.',
        content: { ...json(completion), 'text/event-stream': chunk },
        headers: conversationHeaders,
      },
    },
    refusals: turnRefusals,
  },
  'POST /responses': {
    id: 'createResponse',
    summary: 'The same with the Responses API.',
    description:
      '`previous_response_id` or `conversation` continue a conversation. With `background` the turn goes on without the client.',
    headers: requestHeaders,
    body: json(responseRequest),
    needsBody: true,
    responses: {
      200: {
        description: 'The response, or its events.',
        content: { ...json(response), 'text/event-stream': responseEvent },
        headers: conversationHeaders,
      },
    },
    refusals: turnRefusals,
  },
  'GET /responses/:response': {
    id: 'retrieveResponse',
    summary: 'A response as it is now, or its events after a number.',
    query: responseQuery,
    responses: {
      200: {
        description: 'The response, or its events.',
        content: { ...json(response), 'text/event-stream': responseEvent },
      },
    },
    refusals: ['not_found'],
  },
  'POST /responses/:response/cancel': {
    id: 'cancelResponse',
    summary: 'Stops the turn of a response.',
    responses: { 200: { description: 'The response at its end.', content: json(response) } },
    refusals: ['not_found', 'not_ended'],
  },
  'POST /conversations': {
    id: 'createConversation',
    summary: 'The id of a new conversation, which its first message creates.',
    responses: { 200: { description: 'The conversation.', content: json(conversation) } },
  },
  'GET /models': {
    id: 'listModels',
    summary: 'The agents, as models.',
    responses: { 200: { description: 'All agents.', content: json(list(model)) } },
  },
  'GET /models/:model{.+}': {
    id: 'retrieveModel',
    summary: 'One agent, as a model.',
    responses: { 200: { description: 'The agent.', content: json(model) } },
    refusals: ['not_found'],
  },
  'POST /files': {
    id: 'createFile',
    summary: 'Uploads a file that messages may name for an hour.',
    body: { 'multipart/form-data': uploadForm },
    needsBody: true,
    responses: { 200: { description: 'It is stored.', content: json(file) } },
    refusals: ['busy', 'attachment_refused'],
  },
  'GET /files': {
    id: 'listFiles',
    summary: 'The uploaded files that are still kept, newest first.',
    responses: { 200: { description: 'At most 100.', content: json(list(file)) } },
  },
  'GET /files/:file': {
    id: 'retrieveFile',
    summary: 'An uploaded file, or one that a turn produced.',
    responses: { 200: { description: 'The file.', content: json(file) } },
    refusals: ['not_found'],
  },
  'DELETE /files/:file': {
    id: 'deleteFile',
    summary: 'Deletes an uploaded file.',
    responses: {
      200: {
        description: 'It is deleted.',
        content: json(z.looseObject({ id: z.string(), deleted: z.boolean() })),
      },
    },
    refusals: ['not_found'],
  },
  'GET /files/:file/content': {
    id: 'downloadFile',
    summary: 'The bytes of a file, or a range of them.',
    ...fileInParts,
  },
};

/** `suffix` keeps the operation ids of the prefixes apart. */
function routesBelow(prefix: string, suffix: string): RouteDescriptions {
  return Object.fromEntries(
    Object.entries(routes).map(([route, facts]): [string, RouteDescription] => {
      const described = { ...facts, id: `${facts.id}${suffix}`, tag: 'OpenAI', errors: error };
      return [route.replace(' ', ` ${prefix}`), described];
    }),
  );
}

/** The OpenAI API, for the tenant and project of the installation, and with both in the path. */
export const openAiDescriptions: RouteDescriptions = {
  ...routesBelow('/v1', ''),
  ...routesBelow('/api/openai/:tenant/:project/v1', 'OfProject'),
};
