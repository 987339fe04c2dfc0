import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../tools/runs.ts';
import { openStage } from '../stage.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const ids = fc.constantFrom('t1', 't2', 'none', '...', '%', 'a b', 'x'.repeat(200), 'conv_x');
const paths = fc.oneof(
  fc.constantFrom('/threads', '/threads/search', '/runs', '/assistants/search', '/assistants/main'),
  ids.map((id) => `/threads/${encodeURIComponent(id)}`),
  fc
    .tuple(ids, fc.constantFrom('state', 'history', 'runs'))
    .map(([id, part]) => `/threads/${encodeURIComponent(id)}/${part}`),
  fc
    .tuple(ids, ids, fc.constantFrom('', '/cancel'))
    .map(
      ([id, run, part]) =>
        `/threads/${encodeURIComponent(id)}/runs/${encodeURIComponent(run)}${part}`,
    ),
);
const message = fc.record(
  {
    type: fc.constantFrom('human', 'ai', 'system', 3),
    role: fc.constantFrom('user', 'assistant', null),
    id: fc.oneof(fc.string(), fc.constant('m1'), json),
    content: fc.oneof(fc.string(), fc.constant('Hi'), json),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc
    .record(
      {
        assistant_id: fc.constantFrom('desk/main', 'main', 'nobody', '', '../x', 'a/b/c'),
        input: fc.oneof(fc.record({ messages: fc.array(message, { maxLength: 3 }) }), json),
        command: fc.oneof(fc.record({ resume: json }), json),
        stream_mode: fc.oneof(fc.constantFrom('values', 'nope'), json),
        multitask_strategy: fc.constantFrom('reject', 'interrupt', 'rollback', 'enqueue', 'x'),
        thread_id: ids,
        if_exists: fc.constantFrom('raise', 'do_nothing', 'x'),
        limit: fc.oneof(fc.integer(), json),
      },
      { requiredKeys: [] },
    )
    .map((each) => JSON.stringify(each)),
  fc.json(),
  fc.string({ unit: 'binary' }),
);
const Failure = z.object({ detail: z.string(), code: z.string() });

// proves: endpoints.langgraph-fuzz
test('anything that is sent to the LangGraph API is answered, and errors are a detail', async () => {
  await using stage = await openStage();
  let user = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'GET', 'DELETE'),
      paths,
      body,
      async (method, path, text) => {
        user += 1;
        const headers = {
          'content-type': 'application/json',
          'x-timeloom-user': `u${user % 7}_${user >> 5}`,
        };
        const init = { method, headers, ...(method === 'GET' ? {} : { body: text }) };
        const response = await fetch(`${stage.gateway.url}${path}`, init);
        const answer = await response.text();
        expect(response.status, `${method} ${path} ${text}\n${answer}`).toBeLessThan(500);
        if (response.status < 400) return;
        expect(Failure.safeParse(JSON.parse(answer)).success, `${path}\n${answer}`).toBe(true);
      },
    ),
    runs(300),
  );
});
