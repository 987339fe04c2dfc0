import { readFile } from 'node:fs/promises';
import { Fault } from '../../base/fault.ts';
import { holdName } from './held-name.ts';
import { slotsMax } from './limits.ts';

/** The host user of one execution. No other running execution of this machine has it, unless `shared`. */
export interface Slot extends AsyncDisposable {
  readonly uid: number;
  /** The worker is not root: it cannot become anybody else, only its namespaces keep executions apart. */
  readonly shared: boolean;
}

/** Above what distributions and container managers give out; the small range for workers in a user namespace. */
const firstUid = 1_900_000_000;
const firstUidSmall = 64_000;

export async function takeSlot(): Promise<Slot> {
  const own = process.getuid?.() ?? -1;
  if (own !== 0) return { uid: own, shared: true, [Symbol.asyncDispose]: async () => undefined };
  const first = await firstMapped();
  for (let uid = first; uid < first + slotsMax; uid += 1) {
    const held = await holdName(`uid-${uid}`);
    if (held)
      return { uid, shared: false, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
  }
  throw new Fault('EXEC_FAILED', { because: 'every execution slot is taken', slots: slotsMax });
}

async function firstMapped(): Promise<number> {
  const map = await readFile('/proc/self/uid_map', 'utf8');
  const ranges = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const fits = ranges.some(
    ([first = 0, , count = 0]) => first <= firstUid && firstUid + slotsMax <= first + count,
  );
  return fits ? firstUid : firstUidSmall;
}
