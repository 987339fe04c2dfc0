import { z } from 'zod';
import { byNameRequest, fetchRequest, fileQuery } from '../routes/conversation-routes.ts';
import { forkRequest } from '../routes/fork-routes.ts';
import { changeRequest, listQuery } from '../routes/list-routes.ts';
import { schemaNames } from './api-schema.ts';
import { fileInParts } from './describe-uploads.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const origin = z.object({ conversation_id: z.string(), seq: z.int() });
const conversation = z.object({
  id: z.string(),
  title: z.string(),
  created_at: z.iso.datetime(),
  last_activity_at: z.iso.datetime(),
  head: z.int(),
  pinned: z.boolean(),
  active_turn_id: z.string().optional(),
  waits: z.literal(true).optional().describe('The turn waits for the decision of the user.'),
  forked_from: origin.optional(),
});
const block = z.object({
  seq: z.int(),
  turn: z.string(),
  at: z.iso.datetime(),
  type: z.string(),
  author: z.enum(['user', 'agent', 'tool', 'system', 'world']),
  path: z.string().optional(),
  resource: z.string().optional(),
  call: z.string().optional(),
  event: z.string().optional(),
  mime: z.string().optional(),
  text: z.string().optional(),
  data: z.json().optional(),
  size: z.int().optional(),
  meta: z.record(z.string(), z.json()),
});
const list = z.object({
  ok: z.literal(true),
  items: z.array(conversation),
  next_cursor: z.string().optional(),
});
const page = z.object({
  ok: z.literal(true),
  head: z.int(),
  next: z.int(),
  blocks: z.array(block),
});
const fork = z.object({
  ok: z.literal(true),
  conversation_id: z.string(),
  head: z.int(),
  forked_from: origin,
});

const changed = z.object({
  ok: z.literal(true),
  conversation_id: z.string(),
  title: z.string(),
  pinned: z.boolean(),
});
const erased = z.object({
  ok: z.literal(true),
  status: z.literal('erased'),
  conversation_id: z.string(),
});

schemaNames.add(conversation, { id: 'Conversation' });
schemaNames.add(block, { id: 'Block' });

const file: Pick<RouteDescription, 'tag' | 'responses' | 'refusals'> = {
  tag: 'files',
  responses: {
    200: {
      description: 'The file, as a download.',
      content: { '*/*': 'bytes' },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
  refusals: ['not_found'],
};

/** Conversations, their blocks and files. */
export const conversationDescriptions: RouteDescriptions = {
  'GET /conversations/:tenant/:project': {
    id: 'listConversations',
    tag: 'conversations',
    summary: "The user's conversations: pinned ones first, then the newest activity first.",
    query: listQuery,
    responses: { 200: { description: 'At most `limit`.', content: json(list) } },
  },
  'PATCH /conversations/:tenant/:project/:conversation': {
    id: 'changeConversation',
    tag: 'conversations',
    summary: 'Changes the title of a conversation, or pins it.',
    body: json(changeRequest),
    needsBody: true,
    responses: { 200: { description: 'The title and the pin.', content: json(changed) } },
    refusals: ['not_found'],
  },
  'POST /conversations/:tenant/:project/:conversation/fetch': {
    id: 'fetchBlocks',
    tag: 'conversations',
    summary: 'Returns the blocks of a conversation after `after`.',
    body: json(fetchRequest),
    responses: { 200: { description: 'The next page begins after `next`.', content: json(page) } },
    refusals: ['not_found'],
  },
  'POST /conversations/:tenant/:project/:conversation/fork': {
    id: 'forkConversation',
    tag: 'conversations',
    summary:
      'Creates a conversation that continues from the block `at` of this one, or from its latest.',
    body: json(forkRequest),
    responses: { 200: { description: 'The new conversation.', content: json(fork) } },
    refusals: ['not_found', 'busy'],
  },
  'DELETE /conversations/:tenant/:project/:conversation': {
    id: 'eraseConversation',
    tag: 'conversations',
    summary: 'Erases a conversation permanently. Repeating the request gives the same answer.',
    responses: { 200: { description: 'No one can read it any more.', content: json(erased) } },
    refusals: ['not_found'],
  },
  'GET /api/files': {
    id: 'getFile',
    tag: 'files',
    summary: 'Returns a file of a conversation by its `fi:` path, or a range of its bytes.',
    query: fileQuery,
    ...fileInParts,
  },
  'POST /by-rn': {
    id: 'getByName',
    summary: 'The same, with the path in the request body.',
    body: json(byNameRequest),
    needsBody: true,
    ...file,
  },
};
