import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  operationAnswerBytesMax,
  operationBodyBytesMax,
} from '../../../../runtime/sdk/contract/limits.ts';
import { defineOperation, Fault, refuse } from '../../../../runtime/sdk/index.ts';
import { createReadableLog } from '../../sdk/kit.ts';
import { answerOf, ask, key, outcomeOf, post, serve } from './operations-stage.ts';

const nothing = z.object({});

// proves: operations.failures
test('a refusal is 422, a fault 503 or 502, and clients learn nothing about unexpected errors', async () => {
  const { log, lines } = createReadableLog();
  const operation = (id: string, run: () => unknown, output?: z.ZodType) =>
    defineOperation({ id, input: nothing, run, ...(output && { output }) });
  await serve(
    [
      operation('returned', () => refuse('closed', 'Not on Sundays.')),
      operation('thrown', () => {
        throw refuse('closed', 'Not on Sundays.');
      }),
      operation('busy', () => {
        throw new Fault('STORE_UNAVAILABLE');
      }),
      operation('broken', () => {
        throw new Fault('BLOB_MISSING');
      }),
      operation('bug', () => {
        throw new Error('the table is called people');
      }),
      operation('unfit', () => 'text', z.number()),
      operation('long', () => 'x'.repeat(operationAnswerBytesMax)),
    ],
    { log },
  );
  expect(await answerOf(post('operations/returned', {}))).toEqual({
    ok: false,
    error: { code: 'closed', message: 'Not on Sundays.' },
  });
  const answers = ['returned', 'thrown', 'busy', 'broken', 'bug', 'unfit', 'long'].map((id) =>
    outcomeOf(post(`operations/${id}`, {})),
  );
  expect(await Promise.all(answers)).toEqual([
    [422, 'closed'],
    [422, 'closed'],
    [503, 'STORE_UNAVAILABLE'],
    [502, 'BLOB_MISSING'],
    [502, 'OPERATION_FAILED'],
    [502, 'OPERATION_FAILED'],
    [502, 'OPERATION_FAILED'],
  ]);
  expect(await (await post('operations/bug', {})).text()).not.toContain('people');
  expect(JSON.stringify(lines)).toContain('the table is called people');
});

// proves: operations.limits
test('a body over its limit is 413, an operation over its time limit 503, and a request over the rate limit 429', async () => {
  const hang = vi.fn(
    (_: object, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  await serve(
    [
      defineOperation({ id: 'long', input: nothing, timeoutMs: 20, run: hang }),
      defineOperation({
        id: 'deaf',
        input: nothing,
        timeoutMs: 20,
        run: () => new Promise(() => 0),
      }),
      defineOperation({
        id: 'open',
        access: 'public',
        verify: 'none',
        input: nothing,
        run: () => 1,
      }),
    ],
    {},
    { limits: { user: { perMinute: 3 } } },
  );
  expect(
    await outcomeOf(post('operations/long', { pad: 'x'.repeat(operationBodyBytesMax) })),
  ).toEqual([413, 'too_large']);
  expect(hang).not.toHaveBeenCalled();
  expect(await outcomeOf(post('operations/long', {}))).toEqual([503, 'OPERATION_TIMEOUT']);
  expect(hang.mock.calls[0]?.[1].signal.aborted).toBe(true);
  expect(await outcomeOf(post('operations/deaf', {}))).toEqual([503, 'OPERATION_TIMEOUT']);
  const late = await post('operations/deaf', {});
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '20']);
  const statuses = await Promise.all([1, 2, 3, 4].map(() => post('public/open', {})));
  expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
});

async function once({ signal }: AbortController): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

// proves: operations.cancel
test('an operation is stopped when its caller disconnects', async () => {
  const begun = new AbortController();
  const over = new AbortController();
  await serve([
    defineOperation({
      ...{ id: 'long', input: nothing },
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begun.abort();
          signal.addEventListener('abort', () => {
            over.abort();
            reject(signal.reason);
          });
        }),
    }),
  ]);
  const leave = new AbortController();
  const asked = ask('operations/long', { method: 'POST', signal: leave.signal });
  await once(begun);
  leave.abort();
  await expect(asked).rejects.toThrow(/abort/);
  await once(over);
});

// proves: operations.masked
test('answers contain neither secrets nor pages that could run scripts', async () => {
  const said = async (ctx: { secrets: { get(secret: typeof key): Promise<string> } }) =>
    `key ${await ctx.secrets.get(key)}`;
  await serve([
    defineOperation({ id: 'report', input: nothing, run: (_, ctx) => said(ctx) }),
    defineOperation({
      ...{ id: 'refused', input: nothing },
      run: async (_, ctx) => refuse('no', await said(ctx)),
    }),
    defineOperation({
      ...{ id: 'page', method: 'GET', input: nothing },
      run: async (_, ctx) =>
        new Response(`<p>${await said(ctx)}</p>`, {
          status: 201,
          headers: { 'content-type': 'text/html', 'x-said': await said(ctx) },
        }),
    }),
  ]);
  expect(await outcomeOf(post('operations/report', {}))).toEqual([200, 'key •••']);
  expect(await answerOf(post('operations/refused', {}))).toMatchObject({
    error: { message: 'key •••' },
  });
  const page = await ask('operations/page');
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    201,
    'text/html',
    '<p>key •••</p>',
  ]);
  expect(page.headers.get('x-said')).toBeNull();
  expect(page.headers.get('content-security-policy')).toContain('sandbox');
});
