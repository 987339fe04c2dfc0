import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Engine } from '../../../../runtime/engine/ports/engine.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { openHarness } from '../kit/harness.ts';

// proves: exec.killed, i3.effects-honest

const { signal } = new AbortController();

/** A tool that runs until it is released, and counts its starts. */
function slow(more: Partial<Tool> = {}) {
  let began: () => void = () => undefined;
  let letGo: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let times = 0;
  const tool = createTool({
    id: 'bank.post',
    kind: 'bundle',
    description: 'has an effect',
    effects: 'unkeyed',
    input: z.object({}),
    run: async () => {
      times += 1;
      began();
      await gone;
      return { result: { ok: true, ret: null } };
    },
  });
  return { tool: { ...tool, ...more }, begun, letGo: () => letGo(), times: () => times };
}

/** The conversation after its second owner; the first was lost in the middle of the call. */
async function takenOver(
  { tool, begun, letGo }: ReturnType<typeof slow>,
  change: Partial<Engine> = {},
) {
  const harness = await openHarness([{ call: { tool: 'bank.post' } }, { answer: 'Looked.' }], {
    tools: [tool],
  });
  const { key = toConversationKey(0) } = await harness.say('Post it');
  await begun;
  const { store, bus } = harness.engine;
  // The row shows no lease holder, as after a pause longer than the lease.
  await store.release(key, { fence: 1, signal });
  const next = new Worker({ ...harness.engine, worker: 'worker_next', ...change }, { signal });
  bus.wake(key);
  const blocks = await harness.closed();
  letGo();
  await next[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
  return blocks;
}

test('an unrepeatable call whose owner was lost is reported as in doubt, to users as well', async () => {
  const bank = slow();
  const blocks = await takenOver(bank);
  expect(bank.times()).toBe(1);
  expect(verify(blocks)).toEqual([]);
  const call = blocks.find(({ type }) => type === 'react.tool.call')?.call;
  expect(blocks.find(({ type }) => type === 'react.notice')).toMatchObject({
    call,
    text: expect.stringMatching(
      /^In doubt:[^\n]*\n- bank\.post \(call tc_\w+, unkeyed\)$/,
    ) as string,
    data: { code: 'in_doubt', calls: [{ id: call, tool: 'bank.post' }], total: 1 },
  });
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.text).toContain('in doubt');
});

test('a tool that can recover the outcome of a lost call recovers it instead of running again', async () => {
  const bank = slow({
    recover: async () => ({ result: { ok: true, ret: 'found' }, preview: 'It was posted.' }),
  });
  const blocks = await takenOver(bank);
  expect(bank.times()).toBe(1);
  expect(blocks.find(({ type }) => type === 'react.tool.result')?.text).toBe('It was posted.');
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
});

test('an abandoned turn reports its calls in doubt to its users', async () => {
  const blocks = await takenOver(slow(), { agent: () => undefined });
  expect(verify(blocks)).toEqual([]);
  expect(blocks.at(-1)).toMatchObject({ type: 'turn.close', data: { reason: 'failed' } });
  expect(blocks.find(({ type }) => type === 'react.notice')).toMatchObject({
    data: { code: 'in_doubt', calls: [{ tool: 'bank.post' }] },
  });
});

test('the started calls of a program in such a turn are reported one by one', async () => {
  const bank = slow();
  const begin: Tool = {
    ...bank.tool,
    run: async (input, context) => {
      const ended = { id: '1', tool: 'a.b', key: 'k.1', effects: 'keyed' } as const;
      await context.journal?.begin(ended);
      await context.journal?.begin({ ...ended, id: '2', key: 'k.2' });
      context.journal?.end('1', 'ok');
      await context.journal?.begin({ ...ended, id: '3', key: 'k.3', effects: 'unkeyed' });
      return bank.tool.run(input, context);
    },
  };
  const blocks = await takenOver({ ...bank, tool: begin }, { agent: () => undefined });
  expect(blocks.find(({ type }) => type === 'react.notice')).toMatchObject({
    data: { calls: [{ id: '2' }, { id: '3' }], total: 2 },
  });
});
