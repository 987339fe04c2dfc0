import { expect, test } from 'vitest';
import { executionDeadlineMs } from '../../../../runtime/tools/exec/limits.ts';
import { toExecLimits } from '../../../../runtime/tools/exec/program/program-limits.ts';
import type { ExecRequest } from '../../../../runtime/tools/ports/sandbox.ts';
import { error, openWorld } from '../kit.ts';
import { code, envelope, execTool } from './kit.ts';

async function contractOf(contract: unknown) {
  const world = await openWorld();
  let seen: ExecRequest | undefined;
  const tool = execTool(async function* (request) {
    seen = request;
    yield envelope(request);
  });
  const input = { contract: contract as never };
  expect(error(await world.perform(tool, input, { code }))).toBe(undefined);
  return seen?.contract;
}

test('a contract is accepted with filepath or filename, as a list or as text', async () => {
  const file = { filepath: 'outputs/a.txt', description: '', visibility: 'external' };
  expect(await contractOf([{ filepath: 'a.txt' }])).toEqual([file]);
  expect(await contractOf([{ filename: 'a.txt' }])).toEqual([file]);
  expect(await contractOf('[{"filename": "a.txt"}]')).toEqual([file]);
  const both = [{ filename: 'other.txt', filepath: 'a.txt' }];
  expect(await contractOf(both)).toEqual([file]);
});

test('the time limit of a program is below that of its call, whatever limits it was given', () => {
  for (const seconds of [undefined, 1, 1_000_000]) {
    const { timeoutMs } = toExecLimits({ timeoutMs: 3_600_000 }, { seconds });
    expect(timeoutMs + 120_000).toBeLessThanOrEqual(executionDeadlineMs);
  }
});
