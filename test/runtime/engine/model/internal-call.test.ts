import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { callModel } from '../../../../runtime/engine/model/internal-call.ts';
import { toOutputSchema } from '../../../../runtime/sdk/compile/validate/zod-schema.ts';

const output = toOutputSchema(z.object({ n: z.number() }));
const { signal } = new AbortController();
const small = (answer: string): Reply => ({ role: 'small', answer });

function ask(replies: readonly Reply[], wanted?: typeof output) {
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const request = {
    role: 'small',
    prompt: 'How many?',
    ...(wanted && { output: wanted }),
  } as const;
  return { model, answer: callModel(model, request, { signal }) };
}

test('a text answer is returned as the model wrote it', async () => {
  expect(await ask([small(' seven\n')]).answer).toBe('seven');
});

test('typed output is matching JSON, in a code fence or not', async () => {
  expect(await ask([small('{"n":7}')], output).answer).toEqual({ n: 7 });
  expect(await ask([small('```json\n{"n":7}\n```')], output).answer).toEqual({ n: 7 });
});

test('output that does not match goes back to the model with the reason', async () => {
  const words = ask([small('seven'), small('{"n":7}')], output);
  expect(await words.answer).toEqual({ n: 7 });
  expect(words.model.requests[1]?.text).toContain('it is not JSON');
  const text = ask([small('{"n":"7"}'), small('{"n":7}')], output);
  expect(await text.answer).toEqual({ n: 7 });
  expect(text.model.requests[1]?.text).toMatch(/n: .*number/);
});

test('a model that only writes text is given two attempts, then a fault is thrown', async () => {
  const { model, answer } = ask([small('a'), small('b'), small('{"n":7}')], output);
  await expect(answer).rejects.toThrow(/OUTPUT_INVALID/);
  expect(model.requests).toHaveLength(2);
});
