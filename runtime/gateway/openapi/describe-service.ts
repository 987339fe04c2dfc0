import { z } from 'zod';
import { secretValue } from '../routes/secret-routes.ts';
import { names } from './api-schema.ts';
import { json, type RouteFacts, type RouteTable } from './route-description.ts';

const health = z.looseObject({
  ok: z.boolean(),
  status: z.enum(['ok', 'unavailable']),
  store: z.object({ ok: z.boolean(), ms: z.int().optional(), error: z.string().optional() }),
  uptime_s: z.int(),
});
const widget = z.object({
  ...{ id: z.string(), title: z.string() },
  renders: z.array(z.string()),
  main: z.boolean(),
});
const widgets = z.object({ ok: z.literal(true), items: z.array(widget) });
const bundles = z.object({
  ok: z.literal(true),
  items: z.array(
    z.object({
      ...{ id: z.string(), title: z.string(), version: z.string(), default: z.boolean() },
      agents: z.array(z.string()),
      widgets: z.array(widget),
    }),
  ),
});
const session = z.object({
  ok: z.literal(true),
  user: z.string(),
  expires_at: z.iso.datetime().optional(),
});
const secrets = z.object({
  ok: z.literal(true),
  items: z.array(z.object({ id: z.string(), description: z.string(), set: z.boolean() })),
});
const done = z.object({ ok: z.literal(true) });
const props = z.record(z.string(), z.json());
const propsSet = z.object({ ok: z.literal(true), props });
const propsTold = propsSet.extend({ schema: z.record(z.string(), z.json()) });
const document = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
/** Of an operation of any bundle; the bundle's own document says more. */
export const operationAnswer = z.object({ ok: z.literal(true), ret: z.json() });

names.add(health, { id: 'Health' });

const bundle = '/api/bundles/:tenant/:project/:bundle';

function page(id: string, says: string, mime: string): RouteFacts {
  const answers = { 200: { says: 'It.', content: { [mime]: 'text' } } } as const;
  return { id, says, tag: 'pages', answers, refusals: ['not_found'] };
}

const operation: Omit<RouteFacts, 'id' | 'says'> = {
  tag: 'bundles',
  more: "A bundle's own `openapi.json` says what each takes and returns; a bundle may answer anything else, as it is.",
  methods: ['GET', 'POST'],
  body: json(z.record(z.string(), z.json())),
  answers: {
    200: { says: 'What the operation returned.', content: json(operationAnswer) },
    422: { says: 'The operation refused; code and message are its own.' },
    502: { says: 'It failed (`OPERATION_FAILED`); the log of the server says why.' },
  },
  refusals: ['not_found', 'wrong_method', 'too_large', 'busy', 'invalid_input'],
};

/** The server itself, its pages, and what bundles bring. */
export const serviceRoutes: RouteTable = {
  'GET /health': {
    id: 'getHealth',
    tag: 'service',
    says: 'How the server is, asked from its store.',
    answers: {
      200: { says: 'It works.', content: json(health) },
      503: { says: 'The store does not answer.', content: json(health) },
    },
  },
  'GET /metrics': {
    id: 'getMetrics',
    tag: 'service',
    says: 'Counters, one a line.',
    answers: { 200: { says: 'Names and numbers.', content: { 'text/plain': 'text' } } },
  },
  'GET /openapi.json': {
    id: 'getApi',
    tag: 'service',
    says: 'This document.',
    answers: { 200: { says: 'OpenAPI 3.1.', content: json(document) } },
  },
  'POST /api/session': {
    id: 'openSession',
    tag: 'service',
    says: 'Keeps the token of the request in a cookie, for what a browser opens by an address alone.',
    answers: { 200: { says: 'Whose it is, and until when.', content: json(session) } },
    refusals: ['invalid_input', 'too_large'],
  },
  'DELETE /api/session': {
    id: 'closeSession',
    tag: 'service',
    says: 'Forgets that cookie.',
    answers: { 200: { says: 'It is gone.', content: json(done) } },
  },
  'GET /api/me/secrets/:bundle': {
    id: 'listUserSecrets',
    tag: 'bundles',
    says: 'The secrets that a user sets for a bundle, and which of them are set. Values are never returned.',
    answers: { 200: { says: 'All of them.', content: json(secrets) } },
    refusals: ['not_found'],
  },
  'PUT /api/me/secrets/:bundle/:id': {
    id: 'setUserSecret',
    tag: 'bundles',
    says: 'Sets a secret of the user for a bundle. It is stored encrypted and never returned.',
    body: json(secretValue),
    needsBody: true,
    answers: {
      200: { says: 'It is stored; the next call of a tool has it.', content: json(done) },
    },
    refusals: ['invalid_input', 'not_found'],
  },
  'DELETE /api/me/secrets/:bundle/:id': {
    id: 'deleteUserSecret',
    tag: 'bundles',
    says: 'Deletes a secret of the user.',
    answers: { 200: { says: 'It is gone.', content: json(done) } },
    refusals: ['not_found'],
  },
  'GET /': page('getPage', 'The page to talk to agents.', 'text/html'),
  'GET /assets/:name{[a-z-]+\\.(css|svg)}': page('getAsset', 'What the page shows.', '*/*'),
  'GET /assets/page.js': page('getPageScript', 'What the page runs.', 'text/javascript'),
  'GET /assets/client.js': page(
    'getClientScript',
    '`timeloom/client` for pages.',
    'text/javascript',
  ),
  'GET /api/bundles/:tenant/:project': {
    id: 'listBundles',
    tag: 'bundles',
    says: 'The bundles that serve, with their agents and the widgets that the user may open.',
    answers: { 200: { says: 'All of them.', content: json(bundles) } },
  },
  [`GET ${bundle}/openapi.json`]: {
    id: 'getBundleApi',
    tag: 'bundles',
    says: 'The operations of one bundle.',
    answers: { 200: { says: 'OpenAPI 3.1.', content: json(document) } },
    refusals: ['not_found'],
  },
  [`GET ${bundle}/props`]: {
    id: 'getProps',
    tag: 'bundles',
    says: 'What an operator has set of a bundle while it serves, and the schema of all its props.',
    answers: { 200: { says: 'Both.', content: json(propsTold) } },
    refusals: ['not_found'],
  },
  [`PUT ${bundle}/props`]: {
    id: 'setProps',
    tag: 'bundles',
    says: 'Sets props over what `bundles.yaml` says, in the place of those that were set so before; for operators.',
    more: 'In force here when it is answered, in other processes some seconds later. `{}` takes all of them back.',
    body: json(props),
    needsBody: true,
    answers: { 200: { says: 'They are in force.', content: json(propsSet) } },
    refusals: ['invalid_input', 'not_found', 'too_large'],
  },
  [`GET ${bundle}/widgets`]: {
    id: 'listWidgets',
    tag: 'bundles',
    says: 'The widgets of a bundle that the user may open.',
    answers: { 200: { says: 'All of them.', content: json(widgets) } },
    refusals: ['not_found'],
  },
  [`GET ${bundle}/widgets/:widget/*`]: {
    id: 'getWidget',
    tag: 'bundles',
    says: "A widget's page and its files.",
    more: '`path` may have slashes; without it, it is the page. A public widget needs no token.',
    answers: { 200: { says: 'The file.', content: { '*/*': 'bytes' } } },
    refusals: ['not_found', 'forbidden'],
  },
  [`ALL ${bundle}/operations/:operation`]: {
    ...operation,
    id: 'Operation',
    says: 'An operation of a bundle, for people of this tenant and project.',
  },
  [`ALL ${bundle}/public/:operation`]: {
    ...operation,
    id: 'PublicOperation',
    says: 'An operation of a bundle for whoever the bundle verifies.',
    answers: { ...operation.answers, 401: { says: '`unverified`: `verify` said no, or threw.' } },
    refusals: [...(operation.refusals ?? []), 'forbidden'],
  },
};
