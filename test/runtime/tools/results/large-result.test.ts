import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type Json } from '../../../../runtime/base/json.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { retCharsMax } from '../../../../runtime/tools/limits.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { jsonPieces } from '../../../../runtime/tools/text/json-pieces.ts';
import { runs } from '../../../tools/runs.ts';
import { blocksOf, openWorld, ret, turn, type World } from '../kit.ts';

function returning(value: () => unknown): Tool {
  const tool = createTool({
    id: 'demo.much',
    kind: 'bundle',
    description: 'returns much',
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: null } }),
  });
  return { ...tool, run: async () => ({ result: { ok: true, ret: value() as Json } }) };
}

async function fileIn(world: World, named: Json | undefined): Promise<string> {
  const path = isJsonObject(named) ? named['path'] : undefined;
  const { services } = await world.contextOf(
    returning(() => null),
    {},
  );
  const found = await services.read(String(path));
  if (found === undefined) throw new Error(`nothing is at ${path}`);
  const bytes: Uint8Array[] = [];
  for await (const piece of await services.stream(found)) bytes.push(piece);
  return Buffer.concat(bytes).toString();
}

const asIs = (text: string) => text;

describe('a value that is too large to be passed', () => {
  // proves: exec.large-value
  test('becomes a file of its turn, and the result states the file, its shape and the reason', async () => {
    const world = await openWorld();
    const rows = Array.from({ length: 20 }, (_, id) => ({ id, word: `é😀${'x'.repeat(900_000)}` }));
    const performed = await world.perform(
      returning(() => ({ rows })),
      {},
      { call: toCallId('tc_rows') },
    );
    const named = ret(performed);
    expect(named).toEqual({
      path: `fi:${turn}.outputs/results/tc_rows.json`,
      filename: 'tc_rows.json',
      mime: 'application/json',
      size: Buffer.byteLength(JSON.stringify({ rows })),
      visibility: 'internal',
      shape: '{ rows: 20 × { id: number, word: string(900,003) } }',
      note: 'The result has more than 16,000,000 characters: it is in this file, which ctx_tools.fetch_file opens in a program.',
    });
    expect(blocksOf(performed, 'artifact.file')).toHaveLength(1);
    expect(performed.preview).toContain('"path":"fi:');
    expect((await fileIn(world, named)) === JSON.stringify({ rows })).toBe(true);
  });

  test('is written as plain text if it is a string, well-formed at every cut, with secrets hidden', async () => {
    const world = await openWorld();
    const text = `hunter2 ${'😀'.repeat(retCharsMax / 2)}\ud800`;
    const performed = await world.perform(
      returning(() => text),
      {},
      {
        call: toCallId('tc_text'),
        mask: (plain) => plain.replaceAll('hunter2', '•••'),
      },
    );
    expect(ret(performed)).toMatchObject({ mime: 'text/plain', filename: 'tc_text.txt' });
    const expected = `••• ${'😀'.repeat(retCharsMax / 2)}\ufffd`;
    expect((await fileIn(world, ret(performed))) === expected).toBe(true);
  });
});

test('the pieces of any value are its JSON', () => {
  const odd = fc.constantFrom<unknown>(undefined, new Date(0), Symbol('s'), Number.NaN, new Map());
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      odd,
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'binary' }), tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (any) => {
      for (const whole of [[any], { any }]) {
        expect([...jsonPieces(whole, asIs)].join('')).toBe(JSON.stringify(whole));
      }
    }),
    runs(30),
  );
});
