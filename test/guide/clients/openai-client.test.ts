import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { root } from '../../architecture/tree.ts';
import { openOpenAiStage } from '../../runtime/gateway/endpoints/openai/openai-stage.ts';
import { ask, createClient, follow } from './openai-client.ts';

const Recorded = z.object({
  headers: z.record(z.string(), z.string()),
  body: z.looseObject({ model: z.string() }),
});

test('the samples of the guide talk to an agent', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Gin.' }, { answer: 'Written.' }]);
  const openai = createClient(stage.runtime.url);
  const texts: string[] = [];
  expect(await ask(openai, (text) => texts.push(text))).toMatch(/^conv_/);
  expect(texts.join('')).toBe('Gin.');
  texts.length = 0;
  await follow(openai, (text) => texts.push(text));
  expect(texts.join('')).toBe('Written.');
});

// proves: openai.python
test('a request in the form of the Python client is answered with chunks and [DONE]', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Gin.' }]);
  const file = join(root, 'test/golden/requests/openai-python-chat.json');
  const { headers, body } = Recorded.parse(JSON.parse(readFileSync(file, 'utf8')));
  const url = `${stage.runtime.url}/v1/chat/completions`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const text = await response.text();
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  expect(text).toContain('"content":"Gin."');
});
