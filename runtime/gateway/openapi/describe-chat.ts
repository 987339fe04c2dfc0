import { z } from 'zod';
import type { MessageAck, WireEnvelope } from '../../client/protocol/envelope.ts';
import { chatMessage } from '../../client/protocol/request-schemas.ts';
import { messageQuery } from '../routes/chat-routes.ts';
import { streamQuery } from '../routes/event-stream.ts';
import { pollQuery } from '../routes/poll-route.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescriptions } from './route-description.ts';

const ack = z.object({
  ok: z.literal(true),
  status: z.enum(['started', 'queued', 'duplicate']),
  conversation_id: z.string(),
  turn_id: z.string(),
  event_id: z.string(),
  seq: z.int(),
  cursor: z.string(),
  options_applied: z.boolean().exactOptional(),
}) satisfies z.ZodType<Extract<MessageAck, { ok: true }>>;

export const envelope = z.object({
  v: z.literal(1),
  type: z.string(),
  cursor: z.string(),
  seq: z.int(),
  ts: z.iso.datetime(),
  conversation_id: z.string(),
  turn_id: z.string(),
  round: z.int().exactOptional(),
  event: z.object({
    agent: z.string(),
    step: z.string(),
    status: z.enum(['started', 'running', 'completed', 'error', 'skipped', 'update']),
    title: z.string().exactOptional(),
  }),
  data: z.record(z.string(), z.json()).exactOptional(),
  delta: z
    .object({
      channel: z.string(),
      instance: z.int(),
      stream: z.string(),
      marker: z.string(),
      text: z.string(),
      offset: z.int(),
      completed: z.boolean(),
      artifact: z.string().exactOptional(),
      mime: z.string().exactOptional(),
      title: z.string().exactOptional(),
    })
    .exactOptional(),
}) satisfies z.ZodType<WireEnvelope>;

const frames = z.object({
  ok: z.literal(true),
  frames: z.array(z.object({ event: z.string().exactOptional(), data: z.json() })),
  after: z.string(),
  over: z.boolean(),
});

const form = z.object({ message: chatMessage, files: z.array(z.file()).optional() });

schemaNames.add(chatMessage, { id: 'ChatMessage' });
schemaNames.add(ack, { id: 'MessageAck' });
schemaNames.add(envelope, { id: 'Envelope' });

/** Messages, and the event stream. */
export const chatDescriptions: RouteDescriptions = {
  'POST /api/chat/:tenant/:project/messages': {
    id: 'sendMessage',
    tag: 'chat',
    summary: 'Sends a message to an agent.',
    description:
      'Repeat the request with the same `message_id` until it is acknowledged: the message is accepted once. With `wait=answer` the response has the end of the turn: `text`, `reason`, `files`, `sources`, `usage`, or the error that ended it; `message_id` is then optional.',
    query: messageQuery,
    body: { ...json(chatMessage), 'multipart/form-data': form },
    needsBody: true,
    responses: {
      200: { description: 'It is stored, or its turn has ended.', content: json(ack) },
      202: { description: 'It is stored, and its turn has not ended in time.', content: json(ack) },
    },
    refusals: [
      ...['busy', 'not_found', 'unknown_kind', 'conflict', 'turn_changed', 'turn_closed'],
      ...['attachment_refused', 'approval_closed', 'approval_expired'],
      ...['call_closed', 'call_expired'],
    ],
  },
  'GET /api/chat/:tenant/:project/conversations/:conversation/stream': {
    id: 'streamConversation',
    tag: 'chat',
    summary: 'The events of a conversation, as server-sent events.',
    description:
      '`data` of each event is an Envelope, `event` is its socket event, `id` its cursor.',
    query: streamQuery,
    headers: z.object({ 'Last-Event-ID': z.string().optional() }),
    responses: {
      200: {
        description: 'From the beginning, or after the cursor in `after` or `Last-Event-ID`.',
        content: { 'text/event-stream': envelope },
      },
    },
    refusals: ['not_found', 'cursor_invalid'],
  },
  'GET /api/chat/:tenant/:project/conversations/:conversation/frames': {
    id: 'pollFrames',
    tag: 'chat',
    summary: 'The next frames of a turn in the words of another protocol, as a list.',
    description:
      'Waits up to `wait` seconds for a frame. Send `after` of the response with the next request; `over` says that the turn has ended.',
    query: pollQuery,
    responses: {
      200: {
        description: 'The frames, or none if nothing happened in time.',
        content: json(frames),
      },
    },
    refusals: ['not_found', 'cursor_invalid'],
  },
};
