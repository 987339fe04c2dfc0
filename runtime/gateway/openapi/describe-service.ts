import { z } from 'zod';
import { schemaNames } from './api-schema.ts';
import { accountDescriptions } from './describe-account.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

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
      first_messages: z.record(z.string(), z.array(z.string())).optional(),
      model_choices: z.record(z.string(), z.array(z.string())).optional(),
    }),
  ),
});
const session = z.object({
  ok: z.literal(true),
  user: z.string(),
  expires_at: z.iso.datetime().optional(),
  expires_in_seconds: z.int().min(0).optional(),
});
const current = session.extend({
  renews: z.boolean().describe('`POST /api/session/renew` can renew the session.'),
});
const ended = z.object({
  ok: z.literal(true),
  next: z.url().optional().describe('Where the identity provider ends its own session.'),
});
const done = z.object({ ok: z.literal(true) });
const props = z.record(z.string(), z.json());
const propsSet = z.object({ ok: z.literal(true), props });
const propsView = propsSet.extend({ schema: z.record(z.string(), z.json()) });
const document = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
/** The response of any operation; the bundle's own document has the details. */
export const operationAnswer = z.object({ ok: z.literal(true), ret: z.json() });

schemaNames.add(health, { id: 'Health' });

const bundle = '/api/bundles/:tenant/:project/:bundle';

function page(id: string, summary: string, mime: string): RouteDescription {
  const responses = { 200: { description: 'The content.', content: { [mime]: 'text' } } } as const;
  return { id, summary, tag: 'pages', responses, refusals: ['not_found'] };
}

const failed = { description: 'What went wrong.', content: { 'text/html': 'text' } } as const;
const failedSignIn = { 401: failed, 403: failed, 404: failed, 413: failed, 503: failed };

const operation: Omit<RouteDescription, 'id' | 'summary'> = {
  tag: 'bundles',
  description:
    "The bundle's own `openapi.json` describes input and output of each operation; a bundle may also return any other response.",
  methods: ['GET', 'POST'],
  body: json(z.record(z.string(), z.json())),
  responses: {
    200: { description: 'What the operation returned.', content: json(operationAnswer) },
    422: { description: 'The operation refused; it chooses code and message.' },
    502: {
      description: 'The operation failed (`OPERATION_FAILED`); the reason is in the server log.',
    },
  },
  refusals: ['not_found', 'wrong_method', 'too_large', 'busy', 'invalid_input'],
};

/** The server itself, its pages, and the routes of bundles. */
export const serviceDescriptions: RouteDescriptions = {
  ...accountDescriptions,
  'GET /health': {
    id: 'getHealth',
    tag: 'service',
    summary: 'The health of the server, as reported by its store.',
    responses: {
      200: { description: 'The server is healthy.', content: json(health) },
      503: { description: 'The store does not answer.', content: json(health) },
    },
  },
  'GET /metrics': {
    id: 'getMetrics',
    tag: 'service',
    summary: 'Counters, one per line.',
    responses: { 200: { description: 'Names and values.', content: { 'text/plain': 'text' } } },
  },
  'GET /metrics/:tenant/:project': {
    id: 'getProjectMetrics',
    tag: 'service',
    summary: 'Counters of one project, for operators.',
    responses: { 200: { description: 'Names and values.', content: { 'text/plain': 'text' } } },
  },
  'GET /openapi.json': {
    id: 'getApi',
    tag: 'service',
    summary: 'This document.',
    responses: { 200: { description: 'OpenAPI 3.1.', content: json(document) } },
  },
  'GET /api/session': {
    id: 'getSession',
    tag: 'service',
    summary: 'The user of the request, and when the token expires.',
    responses: { 200: { description: 'The session.', content: json(current) } },
  },
  'POST /api/session': {
    id: 'openSession',
    tag: 'service',
    summary:
      'Stores the token of the request in a cookie, for what a browser opens by address alone.',
    responses: {
      200: { description: 'The user, and when the token expires.', content: json(session) },
    },
    refusals: ['invalid_input', 'too_large'],
  },
  'DELETE /api/session': {
    id: 'closeSession',
    tag: 'service',
    summary: 'Deletes that cookie, and the one that renews it.',
    responses: { 200: { description: 'They are deleted.', content: json(ended) } },
  },
  'POST /api/session/renew': {
    id: 'renewSession',
    tag: 'service',
    summary: 'Gets a new token from the identity provider, without its user.',
    responses: { 200: { description: 'The cookie has a new token.', content: json(done) } },
    refusals: ['unauthenticated', 'not_found', 'too_large', 'busy'],
  },
  'GET /api/session/sign-in': {
    id: 'signIn',
    tag: 'service',
    summary: 'Sends a browser to the identity provider. `to`: the page that it returns to.',
    responses: { 302: { description: 'To the identity provider.' }, ...failedSignIn },
  },
  'GET /api/session/callback': {
    id: 'finishSignIn',
    tag: 'service',
    summary: 'Where the identity provider sends the browser back to.',
    responses: {
      302: { description: 'To the page, with the token in a cookie.' },
      ...failedSignIn,
    },
  },
  'POST /api/surfaces/:surface/webhook': {
    id: 'postSurfaceUpdate',
    tag: 'service',
    summary: 'Takes an update of a messenger, which proves who it is by the secret of its webhook.',
    body: json(z.record(z.string(), z.json())),
    responses: { 200: { description: 'It is handled.', content: json(done) } },
    refusals: ['unauthenticated', 'not_found', 'invalid_input', 'too_large'],
  },
  'GET /': page('getPage', 'The chat page.', 'text/html'),
  'GET /studio': page('getStudio', 'The studio, the page for developers.', 'text/html'),
  'GET /studio/': page('getStudioFolder', 'The same.', 'text/html'),
  'GET /assets/:name{[\\w-]+\\.(?:js|css|svg)}': page(
    'getAsset',
    'A script, style sheet or image of a page. `client.js` is `timeloom/client` for widgets.',
    '*/*',
  ),
  'GET /api/bundles/:tenant/:project': {
    id: 'listBundles',
    tag: 'bundles',
    summary:
      'Lists the available bundles, with their agents and the widgets that the user may open.',
    responses: { 200: { description: 'The whole list.', content: json(bundles) } },
  },
  [`GET ${bundle}/openapi.json`]: {
    id: 'getBundleApi',
    tag: 'bundles',
    summary: 'The operations of one bundle.',
    responses: { 200: { description: 'OpenAPI 3.1.', content: json(document) } },
    refusals: ['not_found'],
  },
  [`GET ${bundle}/props`]: {
    id: 'getProps',
    tag: 'bundles',
    summary:
      'The props that an operator has set on a running bundle, and the schema of all its props.',
    responses: { 200: { description: 'Props and schema.', content: json(propsView) } },
    refusals: ['not_found'],
  },
  [`PUT ${bundle}/props`]: {
    id: 'setProps',
    tag: 'bundles',
    summary:
      'Sets props that override `bundles.yaml` and replace those that were set this way before; for operators.',
    description:
      'In force in this process when the request is answered, in other processes some seconds later. `{}` resets all of them.',
    body: json(props),
    needsBody: true,
    responses: { 200: { description: 'They are in force.', content: json(propsSet) } },
    refusals: ['invalid_input', 'not_found', 'too_large'],
  },
  [`GET ${bundle}/widgets`]: {
    id: 'listWidgets',
    tag: 'bundles',
    summary: 'The widgets of a bundle that the user may open.',
    responses: { 200: { description: 'The whole list.', content: json(widgets) } },
    refusals: ['not_found'],
  },
  [`GET ${bundle}/widgets/:widget/*`]: {
    id: 'getWidget',
    tag: 'bundles',
    summary: "A widget's page and its files.",
    description:
      '`path` may contain slashes; without it, the page is returned. A public widget needs no token.',
    responses: { 200: { description: 'The file.', content: { '*/*': 'bytes' } } },
    refusals: ['not_found', 'forbidden'],
  },
  [`ALL ${bundle}/operations/:operation`]: {
    ...operation,
    id: 'Operation',
    summary: 'An operation of a bundle, for users of this tenant and project.',
  },
  [`ALL ${bundle}/public/:operation`]: {
    ...operation,
    id: 'PublicOperation',
    summary: 'An operation of a bundle, for callers that the bundle verifies.',
    responses: {
      ...operation.responses,
      401: { description: '`unverified`: `verify` returned false, or threw.' },
    },
    refusals: [...(operation.refusals ?? []), 'forbidden'],
  },
};
