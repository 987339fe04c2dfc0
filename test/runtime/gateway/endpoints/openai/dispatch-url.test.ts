import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createDispatch } from '../../../../../runtime/adapters/web/dispatch.ts';
import type { GatewayDeps } from '../../../../../runtime/gateway/ports/gateway-deps.ts';
import { startSite } from '../../../adapters/web/web-server.ts';
import { openServedAgent } from '../served-agent.ts';

const askWeather = { call: { tool: 'client.get_weather', input: { city: 'Oslo' } } };
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
} as const;

type Allow = (url: string) => Parameters<typeof createDispatch>[0];

/** A service of tools, and an agent that calls one of them before it answers. */
async function openDispatching(
  allow: Allow,
  respond: { readonly status: number; readonly headers?: Record<string, string> } = { status: 200 },
) {
  const requests: { readonly url: string | undefined; readonly body: unknown }[] = [];
  const site = await startSite(({ url }, response, body) => {
    requests.push({ url, body: JSON.parse(body) });
    response.writeHead(respond.status, respond.headers).end('{"content":"12 degrees"}');
  });
  const deps: Partial<GatewayDeps> = { dispatch: createDispatch(allow(site.url)) };
  const served = await openServedAgent([askWeather, { answer: 'Done.' }], { deps });
  const openai = new OpenAI({ baseURL: served.url('/v1'), apiKey: 'any', maxRetries: 0 });
  const complete = (path: string, functions = [tool]) =>
    openai.chat.completions.create({
      model: 'desk/main',
      messages: [{ role: 'user', content: 'The weather?' }],
      tools: functions,
      // @ts-expect-error A field of mistral.rs.
      tool_dispatch_url: new URL(path, site.url).href,
    });
  return {
    requests,
    complete,
    seen: () => JSON.stringify(served.model.requests.at(-1)),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

// proves: openai.dispatch
test('functions are performed at a dispatch URL inside the allow list, and the turn goes on with the result', async () => {
  await using world = await openDispatching((url) => ({
    ...{ urls: [`${url}/tools`], privateHosts: ['localhost'] },
  }));
  const completion = await world.complete('/tools/run');
  expect(completion.choices[0]?.message.content).toBe('Done.');
  expect(world.requests).toMatchObject([
    { url: '/tools/run', body: { name: 'get_weather', arguments: { city: 'Oslo' }, round: 1 } },
  ]);
  expect(completion).toMatchObject({
    agentic_tool_calls: [{ name: 'get_weather', result_content: '12 degrees' }],
  });
  expect(world.seen()).toContain('12 degrees');
});

// proves: openai.dispatch
test.each([
  ['/other'],
  ['/toolsmith'],
  ['/tools/../admin'],
  ['/tools/%2e%2e/admin'],
  ['//user:pass@localhost/tools'],
  ['http://tools.example.com/tools'],
])(
  'the dispatch URL %s outside the allow list is refused before anything is stored',
  async (path) => {
    await using world = await openDispatching((url) => ({
      ...{ urls: [`${url}/tools`], privateHosts: ['localhost'] },
    }));
    await expect(world.complete(path)).rejects.toMatchObject({
      ...{ status: 403, type: 'permission_error', param: 'tool_dispatch_url' },
    });
    expect(world.requests).toEqual([]);
  },
);

// proves: openai.dispatch
test('a listed name that leads to a private address is not reached, and the model learns why', async () => {
  await using world = await openDispatching((url) => ({ urls: [url], privateHosts: [] }));
  const completion = await world.complete('/run');
  expect(world.requests).toEqual([]);
  expect(completion.choices[0]?.message.content).toBe('Done.');
  expect(world.seen()).toContain('address_refused');
});

// proves: openai.dispatch
test('a redirect of a dispatch URL is not followed', async () => {
  await using world = await openDispatching(
    (url) => ({ urls: [url], privateHosts: ['localhost'] }),
    { status: 302, headers: { location: '/elsewhere' } },
  );
  await world.complete('/run');
  expect(world.requests.map(({ url }) => url)).toEqual(['/run']);
  expect(world.seen()).toContain('answered 302');
});
