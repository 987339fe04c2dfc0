import { z } from 'zod';
import { memoryScopes } from '../../tools/ports/long-term-memory.ts';
import { forgetQuery } from '../routes/memory-routes.ts';
import { secretValue } from '../routes/secret-routes.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const secrets = z.object({
  ok: z.literal(true),
  items: z.array(z.object({ id: z.string(), description: z.string(), set: z.boolean() })),
});
const fact = z.object({
  id: z.string(),
  text: z.string(),
  scope: z.enum(memoryScopes),
  agent: z.string(),
  conversation_id: z.string(),
  at: z.string(),
});
const facts = z.object({ ok: z.literal(true), facts: z.array(fact) });
const forgotten = z.object({ ok: z.literal(true), forgotten: z.int().min(0) });
const userErased = z.object({ ok: z.literal(true), status: z.enum(['erased', 'erasing']) });
const done = z.object({ ok: z.literal(true) });
const props = z.record(z.string(), z.json());
const propsSet = z.object({ ok: z.literal(true), props });
const propsView = propsSet.extend({ shared: props, schema: z.record(z.string(), z.json()) });

schemaNames.add(fact, { id: 'Fact' });

const eraseUser: Pick<RouteDescription, 'tag' | 'description' | 'responses'> = {
  tag: 'users',
  description:
    'Conversations, facts, stored values, secrets, props and uploads of the time of the request. What the user has spent is kept. The request can be repeated.',
  responses: {
    200: { description: 'Everything is gone.', content: json(userErased) },
    202: { description: 'It goes on in the background.', content: json(userErased) },
  },
};

/** What users keep for themselves: secrets, props, and facts of the long-term memory. */
export const accountDescriptions: RouteDescriptions = {
  'DELETE /api/me': {
    ...eraseUser,
    id: 'eraseMe',
    summary: 'Erases everything that the user of the request has, permanently.',
  },
  'DELETE /api/users/:tenant/:project/:user': {
    ...eraseUser,
    id: 'eraseUser',
    summary: 'Erases everything that one user has, permanently. Requires the role `operator`.',
    refusals: ['invalid_input'],
  },
  'GET /api/me/secrets/:bundle': {
    id: 'listUserSecrets',
    tag: 'bundles',
    summary:
      'The secrets that a user sets for a bundle, and which of them are set. Values are never returned.',
    responses: { 200: { description: 'The whole list.', content: json(secrets) } },
    refusals: ['not_found'],
  },
  'PUT /api/me/secrets/:bundle/:id': {
    id: 'setUserSecret',
    tag: 'bundles',
    summary: 'Sets a secret of the user for a bundle. It is stored encrypted and never returned.',
    body: json(secretValue),
    needsBody: true,
    responses: {
      200: {
        description: 'It is stored and available to the next tool call.',
        content: json(done),
      },
    },
    refusals: ['invalid_input', 'not_found'],
  },
  'DELETE /api/me/secrets/:bundle/:id': {
    id: 'deleteUserSecret',
    tag: 'bundles',
    summary: 'Deletes a secret of the user.',
    responses: { 200: { description: 'It is deleted.', content: json(done) } },
    refusals: ['not_found'],
  },
  'GET /api/me/props/:bundle': {
    id: 'getUserProps',
    tag: 'bundles',
    summary: 'The props that a user has set for a bundle, and which ones can be set.',
    description:
      '`props`: what the user has set. `shared`: the values of the operator, which apply to all other users. `schema`: the props that users can set.',
    responses: { 200: { description: 'Props and schema.', content: json(propsView) } },
    refusals: ['not_found'],
  },
  'PUT /api/me/props/:bundle': {
    id: 'setUserProps',
    tag: 'bundles',
    summary:
      'Sets props of a bundle for this user. They replace those that the user has set before.',
    body: json(props),
    needsBody: true,
    responses: {
      200: {
        description: 'They are stored and in force from the next tool call on.',
        content: json(propsSet),
      },
    },
    refusals: ['invalid_input', 'not_found', 'too_large'],
  },
  'DELETE /api/me/props/:bundle': {
    id: 'deleteUserProps',
    tag: 'bundles',
    summary: 'Deletes all props that the user has set for a bundle.',
    responses: { 200: { description: 'They are deleted.', content: json(done) } },
    refusals: ['not_found'],
  },
  'GET /api/me/memory': {
    id: 'listFacts',
    tag: 'memory',
    summary: "Lists the facts that the user's conversations have left in the long-term memory.",
    responses: { 200: { description: 'All of them, newest first.', content: json(facts) } },
    refusals: ['not_found'],
  },
  'DELETE /api/me/memory': {
    id: 'forgetFacts',
    tag: 'memory',
    summary: "Removes the user's facts, or those that come from one conversation.",
    query: forgetQuery,
    responses: { 200: { description: 'They are removed.', content: json(forgotten) } },
    refusals: ['not_found'],
  },
  'DELETE /api/me/memory/:fact': {
    id: 'forgetFact',
    tag: 'memory',
    summary: 'Removes one fact: no later prompt contains it.',
    responses: { 200: { description: 'It is removed.', content: json(forgotten) } },
    refusals: ['not_found'],
  },
};
