import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { defineSecret, defineTool, refuse } from '../../../../runtime/sdk/index.ts';
import type { CompletedCall } from '../../../../runtime/tools/calls/run-call.ts';
import { runs } from '../../../tools/runs.ts';
import { openWorld, ret } from '../../tools/kit.ts';
import { compiledTool } from '../kit.ts';

const nothing = z.object({});

function writing(texts: readonly string[], end: () => unknown = () => undefined) {
  return defineTool({
    id: 'story.tell',
    description: 'Tells.',
    input: nothing,
    cumulative: true,
    async *run() {
      for (const text of texts) yield text;
      return end();
    },
  });
}

// proves: tools.cumulative
test('clients see what each text adds, and the model sees the last one', async () => {
  const world = await openWorld();
  const tool = await compiledTool(writing(['One', 'One, two', 'One, two, three']));
  const performed = await world.perform(tool, {});
  expect(stepsIn(performed)).toEqual([
    { text: 'One' },
    { text: ', two', append: true },
    { text: ', three', append: true },
  ]);
  expect(ret(performed)).toBe('One, two, three');
});

// proves: tools.cumulative
test('a text that does not continue the one before replaces it', async () => {
  const world = await openWorld();
  const tool = await compiledTool(writing(['Draft', 'Final', 'Final.'], () => ({ pages: 1 })));
  const performed = await world.perform(tool, {});
  expect(stepsIn(performed)).toEqual([
    { text: 'Draft' },
    { text: 'Final' },
    { text: '.', append: true },
  ]);
  expect(ret(performed)).toEqual({ pages: 1 });
});

// proves: tools.cumulative
test('the steps of any growing text add up to it, in few steps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 400 }),
      async (parts) => {
        const texts = parts.map((_, index) => parts.slice(0, index + 1).join(''));
        const world = await openWorld();
        const performed = await world.perform(await compiledTool(writing(texts)), {});
        const steps = stepsIn(performed);
        expect(steps.map(({ text }) => text).join('')).toBe(parts.join(''));
        expect(steps.length).toBeLessThan(150);
      },
    ),
    runs(30),
  );
});

// proves: tools.cumulative
test('a secret is masked although it arrives in two texts', async () => {
  const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'x' });
  const tool = defineTool({
    id: 'story.leak',
    description: 'Leaks.',
    input: nothing,
    cumulative: true,
    async *run(_, ctx) {
      const secret = await ctx.secrets.get(key);
      yield `it is ${secret.slice(0, 5)}`;
      yield `it is ${secret}`;
    },
  });
  const world = await openWorld();
  const secret = async () => 'sesame-open';
  const compiled = await compiledTool(tool, { more: { secrets: [key] }, host: { secret } });
  const shown = JSON.stringify((await world.perform(compiled, {})).blocks);
  expect(shown).not.toContain('sesam');
});

// proves: tools.partial-output
test('a stream that throws shows the model what it had yielded', async () => {
  const world = await openWorld();
  const broken = () => {
    throw new Error('the pipe burst');
  };
  const shown = await world.perform(await compiledTool(writing(['One', 'One, two'], broken)), {});
  expect(shown.result).toEqual({
    ok: false,
    error: { code: 'tool_failed', message: 'the pipe burst', retryable: false },
    ret: { yielded: [{ text: 'One, two' }] },
  });
  expect(shown.preview).toContain('One, two');
  const stepping = defineTool({
    id: 'story.step',
    description: 'Steps.',
    input: nothing,
    *run() {
      yield 'first';
      yield { text: 'second', fraction: 0.5 };
      throw new Error('no third');
    },
  });
  expect((await world.perform(await compiledTool(stepping), {})).result).toMatchObject({
    ret: { yielded: [{ text: 'first' }, { text: 'second', fraction: 0.5 }] },
  });
});

// proves: tools.partial-output
test('an expected failure is shown without the steps before it', async () => {
  const world = await openWorld();
  const tool = await compiledTool(writing(['Looking'], () => refuse('empty', 'Nothing there.')));
  expect((await world.perform(tool, {})).result).toEqual({
    ok: false,
    error: { code: 'empty', message: 'Nothing there.', retryable: false },
  });
});

// proves: tools.preset-kept
test('a model that sets a preset gets a notice that its value was not used', async () => {
  const tool = defineTool({
    id: 'desk.find',
    description: 'Finds.',
    input: z.object({ tenant: z.string(), q: z.string().default('') }),
    preset: { tenant: (ctx) => ctx.ids.tenant },
    run: ({ tenant }) => tenant,
  });
  const world = await openWorld();
  const compiled = await compiledTool(tool);
  const performed = await world.perform(compiled, { tenant: 'other', q: 'x' });
  expect(ret(performed)).not.toBe('other');
  expect(performed.blocks.find(({ type }) => type === 'react.notice')).toMatchObject({
    text: 'desk.find sets tenant itself; the value that you gave was not used.',
    data: { code: 'preset_kept' },
  });
  const plain = await world.perform(compiled, { q: 'x' });
  expect(plain.blocks.map(({ type }) => type)).toEqual(['react.tool.result']);
});

function stepsIn({ blocks }: CompletedCall) {
  return blocks
    .filter(({ type }) => type === 'react.tool.progress')
    .map(({ text, data }) => {
      const { append } = isJsonObject(data) ? data : {};
      return { text, ...(append === undefined ? {} : { append }) };
    });
}
