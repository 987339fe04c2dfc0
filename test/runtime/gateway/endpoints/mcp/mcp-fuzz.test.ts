import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../../tools/runs.ts';
import { openMcpStage } from './mcp-kit.ts';

const methods = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  'completion/complete',
  ...['resources/list', 'resources/read', 'resources/templates/list', 'server/discover'],
  ...['resources/subscribe', 'resources/unsubscribe', 'subscriptions/listen'],
  ...['notifications/cancelled', 'notifications/initialized', 'logging/setLevel', '', 'x'],
];
const names = fc.constantFrom(
  'letter',
  'reader',
  'math.add',
  'desk.fail',
  'no.tool',
  '',
  'main ',
  '__proto__',
);
const params = fc.oneof(
  fc.record({ name: names, arguments: fc.jsonValue({ maxDepth: 3 }) }, { requiredKeys: [] }),
  fc.record({ uri: fc.oneof(fc.string(), fc.constantFrom('fi:x', 'ks:', 'ks:%', 'fi:%ff')) }),
  fc.record({
    ref: fc.record({
      type: fc.constantFrom('ref/prompt', 'ref/resource'),
      name: names,
      uri: fc.constantFrom('fi:{+path}', 'ks:{+path}', 'x'),
    }),
    argument: fc.record({ name: fc.oneof(names, fc.constant('path')), value: fc.string() }),
  }),
  fc.record({ requestId: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ cursor: fc.oneof(fc.string(), fc.constant('9'.repeat(30))) }),
  fc.jsonValue({ maxDepth: 2 }),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 1.5, true, {})),
    method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue({ maxDepth: 1 })),
    params,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: message.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const header = fc.record(
  {
    'mcp-session-id': fc.constantFrom('conv_fuzz', 'x y', '.', 'conv_other', 'a'.repeat(200)),
    'mcp-protocol-version': fc.constantFrom(
      '2025-11-25',
      '2025-06-18',
      '2026-07-28',
      '1',
      '9999-99-99',
    ),
    accept: fc.constantFrom('application/json, text/event-stream', 'text/html', '*/*'),
    'last-event-id': fc.oneof(fc.constantFrom('x', 'e30', ''), fc.base64String()),
  },
  { requiredKeys: [] },
);

const Answer = z.union([
  z.object({ jsonrpc: z.literal('2.0'), result: z.unknown() }),
  z.object({
    jsonrpc: z.literal('2.0'),
    error: z.object({ code: z.int().max(-32_000), message: z.string() }),
  }),
]);

// proves: mcp-server-fuzz
test('anything that is posted is answered in the words of the protocol', async () => {
  await using stage = await openMcpStage();
  let user = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'GET'),
      body,
      header,
      async (method, text, headers) => {
        user += 1;
        const sent = {
          'content-type': 'application/json',
          'x-timeloom-user': `u${user}`,
          ...headers,
        };
        const init = { method, headers: sent, ...(method === 'POST' ? { body: text } : {}) };
        const response = await fetch(stage.url('acme'), init);
        const answer = await textOf(response, method);
        expect(response.status, `${text}\n${answer}`).toBeLessThan(500);
        for (const line of messagesIn(answer)) {
          expect(Answer.safeParse(line).success, `${text}\n${answer}`).toBe(true);
        }
      },
    ),
    { ...runs(300), examples: [['GET', '', openStream]] },
  );
  // The server still works.
  const { client } = await stage.connect();
  const result = await client.callTool({ name: 'math.add', arguments: { a: 1, b: 1 } });
  expect(result.structuredContent).toEqual({ sum: 2 });
});

/** The stream of a session, which goes on until somebody ends it. */
const openStream = {
  'mcp-session-id': 'conv_fuzz',
  'mcp-protocol-version': '9999-99-99',
  accept: 'application/json, text/event-stream',
} as const;

/** Of a stream that was opened, the beginning. */
async function textOf(response: Response, method: string): Promise<string> {
  const type = response.headers.get('content-type') ?? '';
  if (method !== 'GET' || !type.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

function messagesIn(answer: string): readonly unknown[] {
  if (answer === '') return [];
  if (answer.startsWith('{')) return [JSON.parse(answer)];
  const lines = answer.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}
