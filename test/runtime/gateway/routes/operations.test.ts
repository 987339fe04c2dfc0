import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineOperation, Fault } from '../../../../runtime/sdk/index.ts';
import { answerOf, ask, bare, key, outcomeOf, post, serve, value } from './operations-stage.ts';

const nothing = z.object({});

// proves: operations.answer
test('an operation takes a JSON body, or a query that is converted to its schema', async () => {
  const input = z.object({ city: z.string(), days: z.int().default(3), tags: z.array(z.string()) });
  const run = (given: z.output<typeof input>, ctx: { ids: { user: string } }) => ({
    ...given,
    user: ctx.ids.user,
  });
  await serve([
    defineOperation({ id: 'near', method: 'GET', input, run }),
    defineOperation({ id: 'far', input, run }),
  ]);
  const near = await ask('operations/near?city=Lisbon&days=7&tags=a&tags=b', {
    headers: { 'x-timeloom-user': 'ann' },
  });
  expect(near.headers.get('content-type')).toBe('application/json');
  expect(await answerOf(Promise.resolve(near))).toEqual({
    ok: true,
    ret: { city: 'Lisbon', days: 7, tags: ['a', 'b'], user: 'ann' },
  });
  expect(await outcomeOf(ask('operations/near?city=12&tags=a'))).toEqual([
    200,
    { city: '12', days: 3, tags: ['a'], user: 'dev' },
  ]);
  expect(await outcomeOf(post('operations/far', { city: 'Faro', days: 1, tags: [] }))).toEqual([
    200,
    { city: 'Faro', days: 1, tags: [], user: 'dev' },
  ]);
});

// proves: operations.input
test('invalid input is 400 with its path, and never reaches the bundle', async () => {
  const run = vi.fn(() => 1);
  const input = z.object({ where: z.object({ city: z.string() }) });
  await serve([defineOperation({ id: 'far', input, run })]);
  const { error } = await answerOf(post('operations/far', { where: { city: 7 } }));
  expect(error?.message).toMatch(/^where\.city: .*string/);
  const far = post('operations/far', { where: { city: 7 } });
  expect(await outcomeOf(far)).toEqual([400, 'invalid_input']);
  expect(await outcomeOf(post('operations/far', ['x']))).toEqual([400, 'invalid_input']);
  expect(await outcomeOf(ask('operations/far', { method: 'POST', body: '{' }))).toEqual([
    400,
    'invalid_input',
  ]);
  expect(await outcomeOf(ask('operations/far', { method: 'POST' }))).toEqual([
    400,
    'invalid_input',
  ]);
  expect(run).not.toHaveBeenCalled();
});

// proves: operations.access
test('missing access is 403; an unknown operation is 404', async () => {
  const run = vi.fn(() => 1);
  await serve([
    defineOperation({ id: 'own', input: nothing, run }),
    defineOperation({ id: 'edit', access: { roles: ['editor'] }, input: nothing, run }),
    defineOperation({ id: 'open', access: 'public', input: nothing, verify: () => false, run }),
  ]);
  expect(await outcomeOf(post('operations/none', {}))).toEqual([404, 'not_found']);
  expect(await outcomeOf(post('public/own', {}))).toEqual([404, 'not_found']);
  expect(await outcomeOf(post('operations/open', {}))).toEqual([404, 'not_found']);
  expect(await outcomeOf(ask('operations/own', { method: 'POST' }, 'dev/dev/other'))).toEqual([
    404,
    'not_found',
  ]);
  for (const path of ['operations/own', 'public/open']) {
    const elsewhere = ask(path, { method: 'POST' }, 'evil/dev/acme');
    expect(await outcomeOf(elsewhere)).toEqual([403, 'forbidden']);
  }
  expect(await outcomeOf(post('operations/own', {}, { origin: 'https://evil.example' }))).toEqual([
    403,
    'forbidden',
  ]);
  expect(await outcomeOf(post('operations/edit', {}))).toEqual([403, 'forbidden']);
  expect(await outcomeOf(post('operations/edit', {}, { 'x-timeloom-roles': 'reader' }))).toEqual([
    403,
    'forbidden',
  ]);
  expect(await outcomeOf(post('public/open', {}))).toEqual([401, 'unverified']);
  expect(run).not.toHaveBeenCalled();
  expect(
    await outcomeOf(post('operations/edit', {}, { 'x-timeloom-roles': 'reader, editor' })),
  ).toEqual([200, 1]);
  const wrong = await ask('operations/own');
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
});

// proves: operations.verify
test('a public operation verifies its caller before it parses the body', async () => {
  const seen: unknown[] = [];
  const verify = vi.fn(async (request: Request) => {
    const sum = createHmac('sha256', 'k')
      .update(await request.text())
      .digest('hex');
    return request.headers.get('x-sum') === sum;
  });
  const throwing = () => {
    throw new Fault('SECRET_MISSING');
  };
  const input = z.object({ text: z.string() });
  await serve([
    defineOperation({
      ...{ id: 'signed', access: 'public', input, verify },
      run: async ({ text }, ctx) => {
        seen.push(ctx.ids.user, Object.keys(ctx.storage), await ctx.request.json());
        return text;
      },
    }),
    defineOperation({
      ...{ id: 'keyed', access: 'public', input, run: ({ text }) => text },
      verify: (request, ctx) => ctx.secrets.matches(key, request.headers.get('x-key')),
    }),
    defineOperation({ id: 'thrown', access: 'public', input, verify: throwing, run: () => 1 }),
    defineOperation({ id: 'free', access: 'public', input: nothing, verify: 'none', run: () => 1 }),
  ]);
  const body = JSON.stringify({ text: 'hi' });
  const sum = createHmac('sha256', 'k').update(body).digest('hex');
  const signed = (headers: Record<string, string>) =>
    ask('public/signed', { method: 'POST', body, headers });
  expect(await outcomeOf(signed({ 'x-sum': sum }))).toEqual([200, 'hi']);
  expect(seen).toEqual([undefined, ['bundle'], { text: 'hi' }]);
  expect(await outcomeOf(signed({ 'x-sum': 'other' }))).toEqual([401, 'unverified']);
  expect(await outcomeOf(post('public/keyed', { text: 'a' }, { 'x-key': value }))).toEqual([
    200,
    'a',
  ]);
  expect(await outcomeOf(post('public/keyed', { text: 'a' }))).toEqual([401, 'unverified']);
  // Of who is not let in not even the body is judged.
  expect(await outcomeOf(post('public/keyed', { text: 7 }, { 'x-key': 'no' }))).toEqual([
    401,
    'unverified',
  ]);
  expect(await outcomeOf(post('public/thrown', { text: 'a' }))).toEqual([401, 'unverified']);
  expect(await outcomeOf(post('public/free', {}, { origin: 'https://pager.example' }))).toEqual([
    200, 1,
  ]);
});

// proves: operations.deliberate
test('requests that an image, link or form could send do not run operations', async () => {
  const run = vi.fn(() => 'done');
  await serve([
    defineOperation({ id: 'read', method: 'GET', input: nothing, run }),
    defineOperation({ id: 'write', input: nothing, run }),
  ]);
  const forms = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const post = (type: string) =>
    bare('operations/write', { method: 'POST', body: '{}', headers: { 'content-type': type } });
  const refused = [
    bare('operations/read'),
    ...forms.map(post),
    bare('operations/write', { method: 'POST' }),
  ];
  for (const asking of refused) expect(await outcomeOf(asking)).toEqual([403, 'forbidden']);
  expect(run).not.toHaveBeenCalled();
  expect(await outcomeOf(post('application/json; charset=utf-8'))).toEqual([200, 'done']);
  const headers = { 'x-timeloom-client': '' };
  expect(await outcomeOf(bare('operations/read', { headers }))).toEqual([200, 'done']);
});
