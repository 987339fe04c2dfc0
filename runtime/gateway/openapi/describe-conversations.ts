import { z } from 'zod';
import {
  byName,
  fetchRequest,
  fileQuery,
  listQuery,
  renaming,
} from '../routes/conversation-routes.ts';
import { forkRequest } from '../routes/fork-routes.ts';
import { names } from './api-schema.ts';
import { json, type RouteFacts, type RouteTable } from './route-description.ts';

const origin = z.object({ conversation_id: z.string(), seq: z.int() });
const conversation = z.object({
  id: z.string(),
  title: z.string(),
  created_at: z.iso.datetime(),
  last_activity_at: z.iso.datetime(),
  head: z.int(),
  active_turn_id: z.string().optional(),
  forked_from: origin.optional(),
});
const block = z.object({
  seq: z.int(),
  turn: z.string(),
  at: z.iso.datetime(),
  type: z.string(),
  author: z.enum(['user', 'agent', 'tool', 'system', 'world']),
  path: z.string().optional(),
  call: z.string().optional(),
  event: z.string().optional(),
  mime: z.string().optional(),
  text: z.string().optional(),
  data: z.json().optional(),
  size: z.int().optional(),
  meta: z.record(z.string(), z.json()),
});
const list = z.object({ ok: z.literal(true), items: z.array(conversation) });
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

const renamed = z.object({ ok: z.literal(true), conversation_id: z.string(), title: z.string() });
const erased = z.object({
  ok: z.literal(true),
  status: z.literal('erased'),
  conversation_id: z.string(),
});

names.add(conversation, { id: 'Conversation' });
names.add(block, { id: 'Block' });

const file: Pick<RouteFacts, 'tag' | 'answers' | 'refusals'> = {
  tag: 'files',
  answers: {
    200: {
      says: 'The file, to be saved.',
      content: { '*/*': 'bytes' },
      headers: { 'Content-Disposition': 'Its name.' },
    },
  },
  refusals: ['not_found'],
};

/** What a conversation holds. */
export const readingRoutes: RouteTable = {
  'GET /conversations/:tenant/:project': {
    id: 'listConversations',
    tag: 'conversations',
    says: "The user's conversations, newest first.",
    query: listQuery,
    answers: { 200: { says: 'At most `limit`.', content: json(list) } },
  },
  'PATCH /conversations/:tenant/:project/:conversation': {
    id: 'renameConversation',
    tag: 'conversations',
    says: 'Gives a conversation another title.',
    body: json(renaming),
    needsBody: true,
    answers: { 200: { says: 'Its title.', content: json(renamed) } },
    refusals: ['not_found'],
  },
  'POST /conversations/:tenant/:project/:conversation/fetch': {
    id: 'fetchBlocks',
    tag: 'conversations',
    says: 'Blocks of a conversation, after `after`.',
    body: json(fetchRequest),
    answers: { 200: { says: 'The next page begins after `next`.', content: json(page) } },
    refusals: ['not_found'],
  },
  'POST /conversations/:tenant/:project/:conversation/fork': {
    id: 'forkConversation',
    tag: 'conversations',
    says: 'A conversation that goes on from the block `at` of this one, or from its latest.',
    body: json(forkRequest),
    answers: { 200: { says: 'The new conversation.', content: json(fork) } },
    refusals: ['not_found', 'busy'],
  },
  'DELETE /conversations/:tenant/:project/:conversation': {
    id: 'eraseConversation',
    tag: 'conversations',
    says: 'Erases a conversation for good. Asked again, it answers the same.',
    answers: { 200: { says: 'It is gone for everybody.', content: json(erased) } },
    refusals: ['not_found'],
  },
  'GET /api/files': {
    id: 'getFile',
    says: 'A file of a conversation, by its `fi:` path.',
    query: fileQuery,
    ...file,
  },
  'POST /by-rn': {
    id: 'getByName',
    says: 'The same, asked in a body.',
    body: json(byName),
    needsBody: true,
    ...file,
  },
};
