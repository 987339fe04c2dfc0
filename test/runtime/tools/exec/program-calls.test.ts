import { expect, test } from 'vitest';
import { z } from 'zod';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { createTool } from '../../../../runtime/tools/create-tool.ts';
import { createExecHost } from '../../../../runtime/tools/exec/host.ts';
import type { Tool, ToolResult } from '../../../../runtime/tools/tool.ts';
import { error, openWorld, type World } from '../kit.ts';
import { code, envelope, execTool } from './kit.ts';

const { signal } = new AbortController();

/** What the calls of a program came to, which are made one after the other. */
async function called(world: World, tool: Tool, inputs: readonly { n: number }[]) {
  const results: ToolResult[] = [];
  const program = execTool(async function* (request, host) {
    for (const [at, input] of inputs.entries()) {
      const call = { id: `c${at + 1}`, tool: tool.spec.id, input, reason: '' };
      results.push(await host.callTool(call, { signal }));
    }
    yield envelope(request);
  });
  const performed = await world.perform(program, {}, { code, programs: { tools: [tool] } });
  expect(error(performed)).toBe(undefined);
  return results;
}

const letters = createTool({
  id: 'demo.letters',
  kind: 'bundle',
  description: 'so many letters',
  input: z.object({ n: z.number() }),
  run: async ({ n }) => ({ result: { ok: true, ret: 'x'.repeat(n) } }),
});

// proves: exec.calls-shown, exec.calls-counted
test('a large result goes to the program as it is, and is kept nowhere beside it', async () => {
  const world = await openWorld();
  const [result] = await called(world, letters, [{ n: 9_000_000 }]);
  expect(result).toMatchObject({ ok: true });
  expect(result?.ret).toHaveLength(9_000_000);
  const bytes = Buffer.from(JSON.stringify(result?.ret));
  const { hash } = await openMemoryBlobStore().put('acme', bytes, { signal });
  await expect(world.blobs.get('acme', hash, { signal })).rejects.toThrow('BLOB_MISSING');
});

test('calls per turn count whoever makes them: the agent, this program, and those before it', async () => {
  const world = await openWorld();
  const rare = createTool({
    id: 'demo.rare',
    kind: 'bundle',
    description: 'rarely',
    callsPerTurn: 3,
    input: z.object({ n: z.number() }),
    run: async ({ n }) => ({ result: { ok: true, ret: n } }),
  });
  await world.perform(rare, { n: 0 });
  expect(await called(world, rare, [{ n: 1 }])).toMatchObject([{ ok: true }]);
  const [third, fourth] = await called(world, rare, [{ n: 2 }, { n: 3 }]);
  expect(third).toMatchObject({ ok: true });
  expect(fourth).toMatchObject({ ok: false, error: { code: 'denied' } });
});

test('what people allowed for longer than one call is allowed to a program, and nothing else', async () => {
  const world = await openWorld();
  const asks = createTool({
    id: 'demo.asks',
    kind: 'bundle',
    description: 'would ask',
    input: z.object({}),
    run: async (_, { approved, key }) => ({ result: { ok: true, ret: approved === key } }),
  });
  const context = await world.contextOf(asks, {});
  for (const [said, allowed] of [
    [undefined, false],
    [false, false],
    [true, true],
  ] as const) {
    const standing = new Map(said === undefined ? [] : [['demo.asks', said]]);
    const host = createExecHost({
      context: { ...context, approved: context.key, view: { ...context.view, standing } },
      granted: [asks],
      ids: randomIds,
      clock: systemClock,
    });
    const call = { id: 'c1', tool: 'demo.asks', input: {}, reason: '' };
    expect(await host.callTool(call, { signal })).toEqual({ ok: true, ret: allowed });
  }
});

test('what a tool of a program tells while it runs is shown with the program, by the id of its call', async () => {
  const world = await openWorld();
  const tells = createTool({
    id: 'demo.tells',
    kind: 'bundle',
    description: 'tells',
    input: z.object({ n: z.number() }),
    run: async ({ n }, { services }) => {
      services.progress({ text: `step ${n}` });
      return { result: { ok: true, ret: null } };
    },
  });
  await called(world, tells, [{ n: 1 }, { n: 2 }]);
  const shown = world.live.flatMap((piece) =>
    piece.kind === 'live' && piece.type === 'chat.tool.progress' ? [piece.data] : [],
  );
  expect(shown).toEqual([
    { call: 'tc_1', id: 'c1', text: 'step 1' },
    { call: 'tc_1', id: 'c2', text: 'step 2' },
  ]);
});
