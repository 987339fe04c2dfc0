import { expect } from 'vitest';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { CallId } from '../../../runtime/timeline/ids.ts';
import { createExecTools } from '../../../runtime/tools/exec/run/exec-tools.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { openWorld } from '../../runtime/tools/kit.ts';
import { bankTools, Ledger, program } from './bank.ts';

/** No unkeyed effect began twice; whatever was wanted once has one key. */
export function expectNothingTwice(ledger: Ledger): void {
  const begun = ledger.lines().filter(({ word }) => word === 'begin');
  const once = begun.filter(({ effects }) => effects === 'unkeyed').map(({ key }) => key);
  expect(new Set(once).size).toBe(once.length);
  const keys = new Map<string, string>();
  for (const { key, n } of begun) {
    const wanted = `${key.slice(0, key.lastIndexOf('.'))} ${n}`;
    expect(keys.get(wanted) ?? key).toBe(key);
    keys.set(wanted, key);
  }
}

/** Runs the program as a call of that name; what the model reads of it. */
export async function runProgram(
  call: CallId,
  { sandbox, dir }: { sandbox: Sandbox; dir: string },
): Promise<string> {
  const world = await openWorld();
  const parts = { sandbox, blobs: world.blobs, ids: randomIds, clock: systemClock };
  const [tool] = createExecTools(parts);
  if (tool === undefined) throw new Error('no tool');
  const code = { text: program, language: 'python' as const };
  const programs = { tools: bankTools(new Ledger(dir)) };
  const performed = await world.perform(tool, {}, { call, code, programs });
  return performed.preview;
}

/** The calls that a text says to be in doubt; it may say so of a whole program first, without naming any. */
export function doubtsIn(text: string): readonly string[] {
  const lists = [...text.matchAll(/In doubt:[^\n]*\n((?:- [^\n]*\n?)*)/g)];
  const lines = lists.map(([, list = '']) => list).join('');
  return [...lines.matchAll(/\(call (\w+), (?:un)?keyed\)/g)].flatMap(([, id]) => id ?? []);
}
