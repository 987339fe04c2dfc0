import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../../tools/runs.ts';
import { openOpenAiStage } from './openai-stage.ts';

const anything = fc.jsonValue({ maxDepth: 2 });
const model = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('bar/main', 'main') },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.constantFrom('', '/', 'bar/', 'a/b/c', '__proto__'), anything),
  },
);
const url = fc.constantFrom('data:,x', 'data:text/plain;base64,YQ==', 'data:', 'https://x', '');
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'input_text', 'output_text'), text: fc.string() }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.oneof(fc.record({ url }), anything) }),
  fc.record({ type: fc.constant('input_image'), image_url: fc.oneof(url, anything) }),
  fc.record({
    type: fc.constantFrom('file', 'input_file'),
    file: fc.record({ file_id: fc.constantFrom('file-x', 'file_turn_x_r1_0', '') }),
    file_data: fc.oneof(url, anything),
  }),
  anything,
);
const content = fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }), anything);
const message = fc.oneof(
  fc.record(
    {
      role: fc.oneof(fc.constantFrom('user', 'system', 'assistant', 'tool', 'developer'), anything),
      content,
      tool_call_id: fc.oneof(fc.constantFrom('tc_x', '', '$turn', 'a.b/c'), anything),
      tool_calls: anything,
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({ type: fc.constant('function_call_output'), call_id: fc.string(), output: content }),
  anything,
);
const messages = fc.oneof(
  { weight: 5, arbitrary: fc.array(message, { maxLength: 4 }) },
  { weight: 1, arbitrary: anything },
);
const request = fc.record(
  {
    model,
    messages,
    input: fc.oneof(messages, fc.string()),
    stream: fc.oneof(fc.boolean(), anything),
    stream_options: anything,
    tools: fc.oneof(
      fc.array(fc.record({ type: fc.constant('function'), function: anything, name: fc.string() })),
      anything,
    ),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'none', 'required'), anything),
    response_format: fc.oneof(
      fc.record({ type: fc.constant('json_schema'), json_schema: fc.record({ schema: anything }) }),
      anything,
    ),
    previous_response_id: fc.oneof(fc.constantFrom('resp_turn_x', 'resp_'), anything),
    conversation: fc.oneof(fc.constantFrom('conv_a', 'x y'), anything),
    max_tool_rounds: anything,
    enable_code_execution: anything,
    tool_dispatch_url: anything,
  },
  { requiredKeys: ['model', 'messages', 'input'] },
);
const body = fc.oneof(
  { weight: 8, arbitrary: request.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const name = fc.oneof(
  fc.constantFrom('file_turn_x_r1_0', 'file-op_x', 'resp_turn_x_1', '%2e', '..', 'bar%2Fmain'),
  fc.string().map(encodeURIComponent),
);
const target = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('POST chat/completions', 'POST responses') },
  { weight: 1, arbitrary: name.map((each) => `GET models/${each}`) },
  { weight: 1, arbitrary: name.map((each) => `GET files/${each}`) },
  { weight: 1, arbitrary: name.map((each) => `GET files/${each}/content`) },
  {
    weight: 1,
    arbitrary: name.map((each) => `GET responses/${each}?stream=true&starting_after=0`),
  },
  { weight: 1, arbitrary: fc.constantFrom('POST files', 'DELETE files/x', 'PUT models', 'GET x') },
);
const headers = fc.record(
  {
    'x-timeloom-conversation': fc.constantFrom('conv_b', 'x y', '', 'a'.repeat(200)),
    'idempotency-key': fc.constantFrom('key', 'k'.repeat(300)),
  },
  { requiredKeys: [] },
);

const ErrorBody = z.object({
  error: z.looseObject({
    message: z.string().min(1),
    type: z.string().regex(/^(invalid_request|authentication|permission|rate_limit|server)_error$/),
    code: z.string(),
    param: z.string().nullable(),
  }),
});

// proves: openai.fuzz
test('whatever is sent is answered, and every error has the shape of OpenAI', async () => {
  const { numRuns } = runs(200);
  const replies = Array.from({ length: Math.min(numRuns, 1_000) }, () => ({ answer: 'ok' }));
  await using stage = await openOpenAiStage([...replies]);
  let user = 0;
  await fc.assert(
    fc.asyncProperty(target, body, headers, async (place, text, more) => {
      user += 1;
      const [method = 'GET', path = ''] = place.split(' ');
      const sent = {
        ...{ 'content-type': 'application/json', 'x-timeloom-user': `u${user}` },
        ...more,
      };
      const init = { method, headers: sent, ...(method === 'POST' ? { body: text } : {}) };
      const response = await fetch(`${stage.runtime.url}/v1/${path}`, init);
      const answer = await response.text();
      const report = `${place}\n${text}\n${answer}`;
      if (response.status < 400) return;
      expect(ErrorBody.safeParse(JSON.parse(answer)).success, report).toBe(true);
      // Only a turn can fail, when the script of the model has ended.
      if (response.status >= 500) expect(answer, report).toMatch(/"code":"[A-Z_]+"/);
    }),
    { numRuns },
  );
  expect((await stage.openai.models.list()).data).toHaveLength(2);
}, 900_000);
