import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineEvent,
  defineJob,
  defineOperation,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../kit.ts';

// proves: options.json-types
test('a type that JSON cannot represent is refused in every input', async () => {
  const input = z.object({ from: z.date(), list: z.array(z.object({ n: z.bigint() })) });
  const typed = defineTool({ id: 'own.typed', description: 'x', input, run: () => 1 });
  const refused: readonly [Parameters<typeof bundleWith>, RegExp][] = [
    [[[typed]], /input of tool “own\.typed”: from is z\.date\(\).*use z\.iso\.datetime\(\)/],
    [[[typed]], /input of tool “own\.typed”: list\.items\.n is z\.bigint\(\).*use z\.int\(\)/],
    [
      [[], { operations: [defineOperation({ id: 'near', input, run: () => 1 })] }],
      /input of operation “near”: from is z\.date/,
    ],
    [
      [
        [],
        { events: [defineEvent({ kind: 'alert', payload: z.set(z.string()), text: () => '' })] },
      ],
      /payload of event “alert”: it is z\.set\(\).*use z\.array\(\)/,
    ],
    [
      [[], { jobs: [defineJob({ id: 'mail', input, run: () => undefined })] }],
      /input of job “mail”: from is z\.date/,
    ],
  ];
  for (const [[tools, more], problem] of refused) {
    await expect(compile(bundleWith(tools, more))).rejects.toThrow(problem);
  }
});

// proves: options.json-types
test('a schema with a root that is not an object stops the load', async () => {
  // As an author without types would write it.
  const input = z.array(z.string()) as never;
  const list = defineTool({ id: 'own.list', description: 'x', input, run: () => 1 });
  await expect(compile(bundleWith([list]))).rejects.toThrow(
    /input of tool “own\.list” is z\.array\(\); use z\.object/,
  );
});

// proves: options.json-types
test('a text that is coerced to a date, and a preset date, are accepted', async () => {
  const input = z.object({
    from: z.iso.datetime().transform((text) => new Date(text)),
    to: z.coerce.date(),
    now: z.date(),
  });
  const preset = { now: () => new Date(0) };
  const dated = defineTool({ id: 'own.dated', description: 'x', input, preset, run: () => 1 });
  const { agents } = await compile(bundleWith([dated]));
  expect(agents[0].tools.map(({ spec }) => spec.id)).toContain('own.dated');
});
