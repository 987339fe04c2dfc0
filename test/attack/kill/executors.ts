import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { toCallId } from '../../../runtime/timeline/ids.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { Ledger } from './bank.ts';
import { endNow } from './processes.ts';
import { doubtsIn, expectNothingTwice, runProgram } from './world.ts';

type Options = {
  readonly sandbox: Sandbox;
  readonly dir: string;
  readonly kills: number;
  readonly random: Generator<number, never>;
  /** Between two kills, at most. */
  readonly pauseMs: number;
  readonly victims: () => Promise<readonly number[]>;
};

/** Three programs at a time, and the process that serves them is killed again and again. */
export async function killExecutors(options: Options): Promise<{ programs: number }> {
  const { sandbox, dir, kills, random, pauseMs, victims } = options;
  const ledger = new Ledger(dir);
  let [killed, programs] = [0, 0];
  let failed = false;
  const goesOn = () => killed < kills && !failed;
  const run = async () => {
    while (goesOn()) {
      programs += 1;
      const call = `tc_executor${programs}`;
      const read = await runProgram(toCallId(call), { sandbox, dir });
      // A call whose end was on its way is reported as well: its end did not arrive.
      const cut = ledger.cutOff(`key_${call}`);
      expect(doubtsIn(read)).toEqual(expect.arrayContaining([...cut]));
    }
  };
  const kill = async () => {
    while (goesOn()) {
      await setTimeout(random.next().value * pauseMs);
      const pids = await victims();
      const pid = pids[Math.floor(random.next().value * pids.length)];
      if (pid !== undefined && endNow(pid)) killed += 1;
    }
  };
  const all = [run(), run(), run(), kill()].map((each) =>
    each.catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(all);
  expectNothingTwice(ledger);
  return { programs };
}
