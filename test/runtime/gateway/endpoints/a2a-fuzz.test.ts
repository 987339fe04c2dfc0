import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../tools/runs.ts';
import { openStage } from '../stage.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const ids = fc.oneof(
  fc.string(),
  fc.constantFrom('none', 'a.b', 'conv_1.turn_1', '..', 'x'.repeat(400)),
);
const part = fc.record(
  {
    kind: fc.constantFrom('text', 'file', 'data', 3),
    text: fc.oneof(fc.string(), json),
    url: fc.constantFrom('data:text/plain,hi', 'https://example.org/x', 'data:', 4),
    raw: fc.oneof(fc.base64String(), fc.string()),
    data: json,
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    messageId: fc.oneof(ids, json),
    contextId: ids,
    taskId: fc.option(ids),
    role: fc.constantFrom('user', 'ROLE_USER', 'x'),
    parts: fc.oneof(fc.array(part, { maxLength: 3 }), json),
  },
  { requiredKeys: [] },
);
const method = fc.constantFrom(
  ...['SendStreamingMessage', 'message/stream', 'GetTask', 'tasks/get', 'CancelTask'],
  ...['tasks/cancel', 'SubscribeToTask', 'tasks/resubscribe', 'ListTasks', 'x', ''],
);
const call = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id: fc.oneof(fc.integer(), fc.string(), json),
    method: fc.oneof(method, json),
    params: fc.oneof(fc.record({ message }), fc.record({ id: ids }), json),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 5, arbitrary: call.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const Failure = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.looseObject({ code: z.int().max(-32_000), message: z.string() }),
});

const List = z.object({ result: z.looseObject({ tasks: z.array(z.unknown()) }) });

// proves: endpoints.a2a-fuzz
test('anything that is sent to an agent over A2A is answered in JSON-RPC', async () => {
  await using stage = await openStage();
  let user = 0;
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      user += 1;
      const headers = { 'content-type': 'application/json', 'x-timeloom-user': `u${user}` };
      const stop = new AbortController();
      const response = await fetch(`${stage.gateway.url}/api/a2a/dev/dev/desk/main`, {
        ...{ method: 'POST', headers, body: text, signal: stop.signal },
      });
      expect(response.status, text).toBeLessThan(500);
      // A stream has begun: no worker will end it.
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
        stop.abort();
        return;
      }
      const answer = await response.text();
      expect(
        z.union([Failure, List]).safeParse(JSON.parse(answer)).success,
        `${text}\n${answer}`,
      ).toBe(true);
    }),
    runs(300),
  );
});
