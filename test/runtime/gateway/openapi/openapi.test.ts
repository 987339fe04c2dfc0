import { Validator } from '@seriousme/openapi-schema-validator';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { AnonymousConnections } from '../../../../runtime/gateway/auth/anonymous-connections.ts';
import { AnonymousLimit } from '../../../../runtime/gateway/auth/anonymous-limit.ts';
import { createAuthenticate } from '../../../../runtime/gateway/auth/authenticate.ts';
import { createOriginGuard } from '../../../../runtime/gateway/auth/origin-guard.ts';
import { Uploads } from '../../../../runtime/gateway/files/uploads.ts';
import type { Env } from '../../../../runtime/gateway/http/context.ts';
import { addRoutes } from '../../../../runtime/gateway/http-routes.ts';
import { Inspector } from '../../../../runtime/gateway/inspection/inspector.ts';
import { Intake } from '../../../../runtime/gateway/intake/intake.ts';
import { describeRoutes } from '../../../../runtime/gateway/openapi/describe-routes.ts';
import { defineOperation, defineProps, refuse } from '../../../../runtime/sdk/index.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { bundleWith, compile } from '../../sdk/kit.ts';
import { bundles, openStage, Player, type Stage, scope, signal } from '../stage.ts';
import { askEndpoints, askMemory, elsewhere } from './endpoint-answers.ts';
import { askDownload } from './openai-answers.ts';
import { at, type Judge, openJudge } from './openapi-judge.ts';
import { askWorkbench } from './workbench-answers.ts';

// The documents and what judges them are made again for each test.
vi.setConfig({ testTimeout: patient(60_000), hookTimeout: patient(60_000) });

const Place = z.object({ city: z.string(), inside: z.array(z.lazy(() => z.json())).optional() });
const near = defineOperation({
  id: 'near',
  method: 'GET',
  input: z.object({
    city: z.string(),
    most: z.int().default(3),
    kinds: z.array(z.string()).optional(),
  }),
  output: z.array(Place.meta({ id: 'Place' })),
  run: ({ city }) => (city === '' ? refuse('no_city', 'Say which.') : [{ city }]),
});
const drop = defineOperation({
  id: 'drop',
  access: 'public',
  input: z.object({ name: z.string() }),
  verify: (request) => request.headers.get('x-key') === 'yes',
  run: ({ name }) => (name === 'bad' ? Promise.reject(new Error('it broke')) : { name }),
});
const kept = defineOperation({
  id: 'kept',
  access: { roles: ['editor'] },
  input: z.object({}),
  run: () => 'kept',
});

let stage: Stage;
let document: JsonObject;
let judge: Judge;
beforeEach(async () => {
  const compiled = await compile(
    bundleWith([], {
      operations: [near, drop, kept],
      props: defineProps(z.object({ region: z.string().default('eu') })),
    }),
  );
  const operations = (bundle: string) => (bundle === 'desk' ? compiled.operations : []);
  const operation = (bundle: string, id: string) => operations(bundle).find((one) => one.id === id);
  const [props, userProps] = [() => compiled.props, () => compiled.userProps];
  const userSecrets = () => [{ id: 'KEY', description: 'a key' }];
  stage = await openStage({
    bundles: { ...bundles, operations, operation, props, userProps, userSecrets },
    checkBundle: async () => [{ level: 'warning', what: 'notice', places: [], says: 'Hm.' }],
    evals: { read: async () => [], start: async () => undefined, stop: () => undefined },
  });
  document = await objectOf(await fetch(`${stage.gateway.url}/openapi.json`));
  judge = openJudge(document);
});
afterEach(() => stage[Symbol.asyncDispose]());

const messages = '/api/chat/dev/dev/messages';
const about = '/conversations/dev/dev';
const desk = '/api/bundles/dev/dev/desk';

/** The answer, held to the document. */
async function ask(method: string, path: string, more: Asked = {}): Promise<Response> {
  const { json, body = json && JSON.stringify(json) } = more;
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { 'x-timeloom-client': 'test', ...type, ...more.headers };
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(new URL(path, stage.gateway.url), init);
  expect(await judge.complaints(method, response)).toEqual([]);
  return response;
}

type Asked = {
  readonly json?: object;
  readonly body?: FormData | string;
  readonly headers?: Record<string, string>;
};

async function objectOf(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json();
  return isJsonObject(body) ? body : {};
}

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}

// proves: api.generated
test('every route of the gateway is in the document, and nothing else', async () => {
  const { deps } = stage;
  const app = new Hono<Env>();
  await using inspector = new Inspector();
  const uploads = new Uploads({ ...deps, inspector });
  const served = { served: [scope], home: scope, host: '127.0.0.1' };
  const intake = new Intake(deps, { uploads, inspector });
  const parts = {
    ...{ deps, uploads, inspector, intake, surfaces: [], scopes: [scope], closing: signal },
    authenticate: createAuthenticate(deps.auth, served),
    anonymousLimit: new AnonymousLimit(deps.clock, undefined),
    originGuard: createOriginGuard(deps.auth),
    anonymous: new AnonymousConnections(),
    metrics: () => ({}),
  };
  addRoutes(app, parts);
  app.get('/not/described', (context) => context.text('hello'));
  const { routes, missing } = describeRoutes(app, async () => undefined);
  expect(missing).toEqual(['GET /not/described']);
  const paths = Object.values(document['paths'] ?? {}).flatMap((one) => Object.keys(Object(one)));
  expect(paths.length).toBe(routes.length);
});

// proves: api.valid
test('the documents are valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const own = await objectOf(await ask('GET', `${desk}/openapi.json`));
  expect(await validator.validate(own)).toEqual({ valid: true });
});

// proves: api.answers
test('every response matches the schema in the document', async () => {
  const signIn = ['sign-in', 'callback'].map((name) => `/api/session/${name}`);
  const pages = ['/', '/studio', '/studio/', '/assets/mark.svg', '/assets/client.js', ...signIn];
  const facts = ['/health', '/metrics', '/metrics/dev/dev', '/openapi.json'];
  for (const path of [...facts, ...pages]) await ask('GET', path);
  for (const method of ['GET', 'POST', 'DELETE']) await ask(method, '/api/session');
  await ask('GET', '/api/bundles/dev/dev');
  for (const path of ['openapi.json', 'widgets']) await ask('GET', `${desk}/${path}`);
  const file = new File(['a,b\n1,2\n'], 'a.csv', { type: 'text/csv' });
  await ask('POST', '/api/uploads', { body: form({ file }) });
  const piece = {
    json: { name: 'a.csv', size: 8 },
    headers: { 'content-type': 'application/json' },
  };
  const upload = (await ask('POST', '/api/uploads', piece)).headers.get('location') ?? '';
  await ask('PATCH', upload, { body: 'a,b\n1,2\n', headers: { 'upload-offset': '0' } });
  for (const method of ['GET', 'DELETE']) await ask(method, upload);
  const message = JSON.stringify({ conversation_id: 'conv_a', message_id: 'm1', text: 'Hello' });
  const sent = await ask('POST', messages, { body: form({ message, files: file }) });
  const turn = String((await objectOf(sent))['turn_id']);
  await (await Player.take(stage.deps, 'conv_a')).close('Hi');
  await ask('GET', '/api/chat/dev/dev/conversations/conv_a/frames?as=fim');
  await ask('GET', `${about}?limit=2`);
  for (const path of ['fetch', 'fork']) await ask('POST', `${about}/conv_a/${path}`);
  await ask('PATCH', `${about}/conv_a`, { json: { title: 'Greetings' } });
  await ask('GET', about);
  await ask('POST', `${about}/conv_a/turns/${turn}/feedback`, { json: { reaction: 'ok' } });
  await ask('POST', `${about}/conv_a/turns-with-feedbacks`);
  const period = { start: '2020-01-01', end: '2999-01-01T00:00:00Z', include_turns: true };
  for (const list of ['conversations-in-period', 'satisfaction'])
    await ask('POST', `${about}/feedback/${list}`, { json: period });
  const path = `fi:${turn}.user.attachments/a.csv`;
  await askDownload(ask, `/api/files?conversation=conv_a&path=${path}`);
  await ask('POST', '/by-rn', { json: { rn: path, conversation_id: 'conv_a' } });
  await ask('DELETE', `${about}/conv_a`);
  await ask('GET', `${desk}/operations/near?city=Bern`);
  await ask('POST', `${desk}/operations/kept`, { headers: { 'x-timeloom-roles': 'editor' } });
  await ask('POST', `${desk}/public/drop`, { json: { name: 'a' }, headers: { 'x-key': 'yes' } });
  await ask('PUT', `${desk}/props`, { json: { region: 'us' } });
  await ask('GET', `${desk}/props`);
  await ask('GET', '/api/me/secrets/desk');
  await ask('PUT', '/api/me/secrets/desk/KEY', { json: { value: 'a' } });
  await ask('PUT', '/api/me/props/desk', { json: {} });
  await ask('GET', '/api/me/props/desk');
  for (const path of ['secrets/desk/KEY', 'props/desk']) await ask('DELETE', `/api/me/${path}`);
  await askMemory(stage.deps, ask);
  await askEndpoints(ask);
  await askWorkbench(ask, stage);
  for (const path of ['/api/users/dev/dev/bob', '/api/me']) await ask('DELETE', path);
  const fine = [...judge.seen].filter((one) => / 2\d\d$/.test(one));
  const answered = new Set(fine.map((one) => one.split(' ')[0]));
  expect([...answered, ...elsewhere].toSorted()).toEqual(operationIds().toSorted());
});

/** All operations but event streams, which the tests of their protocols read. */
function operationIds(): readonly string[] {
  const operations = Object.values(document['paths'] ?? {}).flatMap((methods) =>
    Object.values<JsonObject>(Object(methods)),
  );
  const isStream = (one: JsonObject) =>
    'text/event-stream' in at(one, ['', 'responses', '200', 'content']);
  return operations.filter((one) => !isStream(one)).map((one) => String(one['operationId']));
}

test('envelopes of a stream fit the schema of an envelope', async () => {
  await ask('POST', messages, {
    json: { conversation_id: 'conv_s', message_id: 'm1', text: 'Hello' },
  });
  const player = await Player.take(stage.deps, 'conv_s');
  await player.delta('answer', 'Hi');
  await player.close('Hi');
  const response = await ask('GET', '/api/chat/dev/dev/conversations/conv_s/stream');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('chat_complete') && text.endsWith('\n\n')) break;
  }
  const envelopes = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']): unknown =>
    JSON.parse(data),
  );
  expect(envelopes.length).toBeGreaterThan(4);
  for (const one of envelopes) expect(judge.misfits('Envelope', one)).toEqual([]);
});

type No = readonly [status: number, method: string, path: string, asked?: Asked];
const steer = { message_id: 'm', conversation_id: 'conv_x', kind: 'steer', text: '' };
const noes: Readonly<Record<string, No>> = {
  'a message that does not fit': [400, 'POST', messages, { json: { text: 7 } }],
  'a message of an unknown kind': [400, 'POST', messages, { json: { ...steer, kind: 'none' } }],
  'a steer into nothing': [404, 'POST', messages, { json: steer }],
  'another tenant': [403, 'GET', '/conversations/acme/dev'],
  'a name nobody has': [400, 'GET', about, { headers: { 'x-timeloom-user': '../a' } }],
  'too many conversations': [400, 'GET', `${about}?limit=1000`],
  'blocks of nothing': [404, 'POST', `${about}/conv_none/fetch`],
  'a fork of nothing': [404, 'POST', `${about}/conv_none/fork`],
  'an erasure of nothing': [404, 'DELETE', `${about}/conv_none`],
  'feedback on nothing': [
    ...([404, 'POST', `${about}/conv_none/turns/turn_1/feedback`] as const),
    { json: { reaction: 'ok' } },
  ],
  'a stream of nothing': [404, 'GET', '/api/chat/dev/dev/conversations/conv_none/stream'],
  'a file without a path': [400, 'GET', '/api/files'],
  'a file of nothing': [404, 'GET', '/api/files?conversation=conv_none&path=fi:turn_1.outputs/a'],
  'an upload of nothing': [
    ...([413, 'POST', '/api/uploads'] as const),
    { body: form({ file: new File([], 'a.txt') }) },
  ],
  'an upload that is not a form': [400, 'POST', '/api/uploads', { body: 'hello' }],
  'bytes of no upload': [404, 'PATCH', '/api/uploads/none', { headers: { 'upload-offset': '0' } }],
  'bytes from nowhere': [400, 'PATCH', '/api/uploads/none'],
  'widgets of nobody': [404, 'GET', '/api/bundles/dev/dev/none/widgets'],
  'the document of nobody': [404, 'GET', '/api/bundles/dev/dev/none/openapi.json'],
  'an operation nobody has': [404, 'POST', `${desk}/operations/none`],
  'an operation of others': [403, 'POST', `${desk}/operations/kept`],
  'an operation asked wrongly': [400, 'GET', `${desk}/operations/near?most=x`],
  'an operation asked with another method': [405, 'POST', `${desk}/operations/near`],
  'an operation that refuses': [422, 'GET', `${desk}/operations/near?city=`],
  'an operation that fails': [
    ...([502, 'POST', `${desk}/public/drop`] as const),
    { json: { name: 'bad' }, headers: { 'x-key': 'yes' } },
  ],
  'a caller whom the bundle does not know': [401, 'POST', `${desk}/public/drop`],
};

test.each(Object.entries(noes))('%s: the refusal matches the document', async (_, no) => {
  const [status, method, path, asked] = no;
  expect((await ask(method, path, asked)).status).toBe(status);
});

// proves: api.bundles
test("a bundle's document has its operations with the schemas of its author", async () => {
  const own = await objectOf(await ask('GET', `${desk}/openapi.json`));
  expect(Object.keys(at(own, ['', 'paths']))).toEqual([
    `${desk}/operations/near`,
    `${desk}/public/drop`,
    `${desk}/operations/kept`,
  ]);
  const get = at(own, ['', 'paths', `${desk}/operations/near`, 'get']);
  expect(get['parameters']).toEqual([
    expect.objectContaining({ name: 'x-timeloom-client', in: 'header', required: false }),
    { name: 'city', in: 'query', required: true, schema: { type: 'string' } },
    { name: 'most', in: 'query', schema: expect.objectContaining({ default: 3 }) as unknown },
    { name: 'kinds', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
  ]);
  expect(at(own, ['', 'paths', `${desk}/public/drop`, 'post'])).toMatchObject({
    security: [],
    'x-timeloom-access': 'public',
    requestBody: { required: true },
  });
  const judged = openJudge(own);
  const place = { city: 'Bern', inside: [{ a: [1, null] }] };
  expect(judged.misfits('near.output.Place', place)).toEqual([]);
  expect(judged.misfits('near.output.Place', { town: 'Bern' })).not.toEqual([]);
  const init = { method: 'POST', body: '{}' };
  const answer = await fetch(new URL(`${desk}/public/drop`, stage.gateway.url), init);
  expect(await judged.complaints('POST', answer)).toEqual([]);
});
