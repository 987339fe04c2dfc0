import { expect, test } from 'vitest';
import { z } from 'zod';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { createExecHost } from '../../../../runtime/tools/exec/host/exec-host.ts';
import { recoverProgram } from '../../../../runtime/tools/exec/run/recover-program.ts';
import type { Tool, ToolResult } from '../../../../runtime/tools/ports/tool.ts';
import { error, openWorld, type World } from '../kit.ts';
import { code, envelope, execTool } from './kit.ts';

const { signal } = new AbortController();

/** The outcomes of the calls of a program, which are made one after the other. */
async function called(world: World, tool: Tool, inputs: readonly JsonObject[]) {
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
  description: 'a number of letters',
  input: z.object({ n: z.number() }),
  run: async ({ n }) => ({ result: { ok: true, ret: 'x'.repeat(n) } }),
});

// proves: tools.unknown-parameter
test('a program that misspells a parameter gets an error, and the tool does not run', async () => {
  const [result] = await called(await openWorld(), letters, [{ n: 1, N_max: 2 }]);
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'invalid_input', violations: [{ path: 'N_max' }] },
  });
});

// proves: exec.calls-shown, exec.calls-counted
test('a large result goes to the program unchanged and is not stored elsewhere', async () => {
  const world = await openWorld();
  const [result] = await called(world, letters, [{ n: 9_000_000 }]);
  expect(result).toMatchObject({ ok: true });
  expect(result?.ret).toHaveLength(9_000_000);
  const bytes = Buffer.from(JSON.stringify(result?.ret));
  const { hash } = await openMemoryBlobStore().put('acme', bytes, { signal });
  await expect(world.blobs.get('acme', hash, { signal })).rejects.toThrow('BLOB_MISSING');
});

test('calls per turn include those of the agent, this program, and earlier programs', async () => {
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

const scarce = createTool({
  id: 'demo.scarce',
  kind: 'bundle',
  description: 'reads, three times a turn',
  effects: 'none',
  callsPerTurn: 3,
  input: z.object({ n: z.number() }),
  run: async ({ n }) => ({ result: { ok: true, ret: n } }),
});

test('a worker that takes over counts the calls of programs that ended, however long their results', async () => {
  const world = await openWorld();
  const long = execTool(async function* (request, host) {
    for (const id of ['c1', 'c2'])
      await host.callTool({ id, tool: scarce.spec.id, input: { n: 1 }, reason: '' }, { signal });
    yield envelope(request, { user_out: 'x'.repeat(20_000) });
  });
  const { blocks } = await world.perform(long, {}, { code, programs: { tools: [scarce] } });
  expect(blocks.at(-1)?.data).toMatchObject({ program_calls: { 'demo.scarce': 2 } });
  expect(blocks.at(-1)?.data).not.toHaveProperty('ret');
  const [third, fourth] = await called(world, scarce, [{ n: 2 }, { n: 3 }]);
  expect([third, fourth]).toMatchObject([{ ok: true }, { ok: false, error: { code: 'denied' } }]);
  expect(await called(world, scarce, [{ n: 4 }])).toMatchObject([{ ok: false }]);
});

test('it counts the calls of the program that was lost, and none of them is in doubt', async () => {
  const world = await openWorld();
  const tools = [scarce];
  const dead = await world.contextOf(
    letters,
    {},
    { call: toCallId('tc_lost'), programs: { tools } },
  );
  const nested = { granted: tools, ids: randomIds, clock: systemClock };
  const host = createExecHost({ ...nested, context: dead });
  for (const id of ['c1', 'c2'])
    await host.callTool({ id, tool: scarce.spec.id, input: { n: 1 }, reason: '' }, { signal });
  const heir = { ...dead, programCalls: new Map<string, number>() };
  const outcome = await recoverProgram(heir, { ids: randomIds, signal });
  expect(outcome).toMatchObject({
    result: { error: { retryable: true }, ret: { calls_total: 2 } },
    blocks: [],
    programCalls: { 'demo.scarce': 2 },
  });
  expect(heir.programCalls).toEqual(new Map([['demo.scarce', 2]]));
});

test('a program may use tools with a standing approval, and no other tools that need approval', async () => {
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
      context: {
        ...context,
        approved: context.key,
        view: { ...context.view, toolDecisions: standing },
      },
      granted: [asks],
      ids: randomIds,
      clock: systemClock,
    });
    const call = { id: 'c1', tool: 'demo.asks', input: {}, reason: '' };
    expect(await host.callTool(call, { signal })).toEqual({ ok: true, ret: allowed });
  }
});

test('progress of a tool that a program calls is shown with the program, by the id of its call', async () => {
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
    { call: toCallId('tc_1'), id: 'c1', n: 1, text: 'step 1' },
    { call: toCallId('tc_1'), id: 'c2', n: 1, text: 'step 2' },
  ]);
});
