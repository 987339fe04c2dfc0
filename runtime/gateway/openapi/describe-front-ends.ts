import { z } from 'zod';
import { runRequest } from '../endpoints/ag-ui/run-request.ts';
import { chatRequest } from '../endpoints/ai-sdk/chat-request.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const error = z.looseObject({ type: z.literal('error'), errorText: z.string() });
const chunk = z.looseObject({ type: z.string() });
const stream = {
  description: 'A UI message stream; `data` of each event is a chunk, the last one is `[DONE]`.',
  content: { 'text/event-stream': chunk },
  headers: { 'x-vercel-ai-ui-message-stream': '`v1`' },
};

schemaNames.add(error, { id: 'AiSdkError' });
schemaNames.add(chunk, { id: 'UiMessageChunk' });

function send(id: string): RouteDescription {
  return {
    id,
    tag: 'AI SDK',
    summary: 'Sends the last message of a chat to an agent, and streams the answer.',
    description:
      '`id` is the conversation id, the id of the last message its message id. If the last message is of the assistant, its answers to approvals and tool calls are sent. `kind` and `options` are as in `ChatMessage`.',
    body: json(chatRequest),
    needsBody: true,
    responses: { 200: stream },
    refusals: [
      ...['busy', 'not_found', 'conflict', 'turn_closed', 'attachment_refused'],
      ...['approval_closed', 'approval_expired', 'call_closed', 'call_expired'],
    ],
    errors: error,
  };
}

function resume(id: string): RouteDescription {
  return {
    id,
    tag: 'AI SDK',
    summary: 'The running turn of a chat, from its start.',
    responses: { 200: stream, 204: { description: 'No turn is running.' } },
    refusals: ['not_found'],
    errors: error,
  };
}

/** `useChat` of the AI SDK. Of the default bundle, the name of the agent is enough. */
export const aiSdkDescriptions: RouteDescriptions = {
  'POST /api/ai/:tenant/:project/:agent': send('chatWithAgent'),
  'POST /api/ai/:tenant/:project/:bundle/:agent': send('chatWithAgentOfBundle'),
  'GET /api/ai/:tenant/:project/:agent/:conversation/stream': resume('resumeChat'),
  'GET /api/ai/:tenant/:project/:bundle/:agent/:conversation/stream': resume('resumeChatOfBundle'),
};

const event = z.looseObject({ type: z.string() });
const runError = z.looseObject({ type: z.literal('RUN_ERROR'), message: z.string() });

schemaNames.add(event, { id: 'AgUiEvent' });
schemaNames.add(runError, { id: 'AgUiError' });

function run(id: string): RouteDescription {
  return {
    id,
    tag: 'AG-UI',
    summary: 'Runs an agent, and streams the events of the run.',
    description:
      '`threadId` is the conversation id, the id of the last message its message id. `resume` answers interrupts, tool messages at the end answer tool calls of the client. Repeat the request with `Last-Event-ID` to go on after a lost connection.',
    headers: z.object({ 'Last-Event-ID': z.string().optional() }),
    body: json(runRequest),
    needsBody: true,
    responses: {
      200: {
        description: 'Events of AG-UI 1.0; the `id` of each resumes after it.',
        content: { 'text/event-stream': event },
      },
    },
    refusals: [
      ...['busy', 'not_found', 'conflict', 'turn_closed', 'attachment_refused', 'cursor_invalid'],
      ...['approval_closed', 'approval_expired', 'call_closed', 'call_expired'],
    ],
    errors: runError,
  };
}

/** Clients of AG-UI. Of the default bundle, the name of the agent is enough. */
export const agUiDescriptions: RouteDescriptions = {
  'POST /api/ag-ui/:tenant/:project/:agent': run('runAgent'),
  'POST /api/ag-ui/:tenant/:project/:bundle/:agent': run('runAgentOfBundle'),
};
