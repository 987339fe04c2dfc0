import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, dispatch } from '../../../../runtime/sdk/index.ts';
import { error, openWorld, ret } from '../../tools/kit.ts';
import { compiledTool } from '../kit.ts';

const remote = defineTool({
  id: 'crm.run',
  description: 'Runs elsewhere.',
  input: z.object({}),
  timeoutMs: 50,
  run: dispatch({ url: 'https://crm.test/run' }),
});

async function performed(fetch: typeof globalThis.fetch) {
  const world = await openWorld();
  return world.perform(await compiledTool(remote, { host: { fetch } }), {});
}

// proves: tools.dispatch
test.each<[string, Response, unknown]>([
  ['JSON', Response.json({ got: 1 }), { got: 1 }],
  ['a list', Response.json([1, 2]), [1, 2]],
  ['a wrapped text', Response.json({ content: 'twelve' }), 'twelve'],
  ['a wrapped value', Response.json({ content: { n: 12 } }), { n: 12 }],
  [
    'an object with more than content',
    Response.json({ content: 'x', more: 1 }),
    { content: 'x', more: 1 },
  ],
  ['a JSON text', Response.json('twelve'), 'twelve'],
  ['plain text', new Response('twelve {months}'), 'twelve {months}'],
  ['a number as text', new Response('12'), '12'],
  ['JSON that is called text', new Response('{"content":"twelve"}'), 'twelve'],
  ['text that begins like JSON', new Response('[sic] twelve'), '[sic] twelve'],
  ['nothing', new Response(null, { status: 204 }), ''],
])('a response with %s is the result', async (_, response, value) => {
  expect(ret(await performed(async () => response.clone()))).toEqual(value);
});

// proves: tools.dispatch
test.each<[string, () => Promise<Response>, object]>([
  [
    'an error status',
    async () => new Response('try later', { status: 503 }),
    { message: 'https://crm.test/run answered 503: try later', retryable: true },
  ],
  [
    'a refusal',
    async () => new Response('', { status: 404 }),
    { message: 'https://crm.test/run answered 404', retryable: false },
  ],
  [
    'a lost connection',
    async () => Promise.reject(new TypeError('fetch failed')),
    { message: 'https://crm.test/run could not be reached: fetch failed', retryable: true },
  ],
  [
    'invalid JSON',
    async () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    { message: 'https://crm.test/run answered 200 with invalid JSON', retryable: false },
  ],
])('%s is dispatch_failed', async (_, fetch, wanted) => {
  expect(error(await performed(fetch))).toMatchObject({ code: 'dispatch_failed', ...wanted });
});

// proves: tools.dispatch
test('a response that takes longer than the tool may is a timeout', async () => {
  const never: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
  expect(error(await performed(never))).toMatchObject({ code: 'timeout' });
});

// proves: tools.dispatch
test('a response over the limit is not read to its end', async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(1_000_000));
    },
  });
  expect(error(await performed(async () => new Response(endless)))).toMatchObject({
    code: 'too_large',
  });
  expect(sent).toBeLessThan(10);
});
