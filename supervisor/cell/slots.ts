import { readFile } from 'node:fs/promises';
import { Fault } from '../../runtime/base/fault.ts';
import { takeHostLock } from './host-lock.ts';
import { slotsMax } from './limits.ts';

/** The host user ID of one execution: no other running execution of this machine has it. */
export interface Slot extends AsyncDisposable {
  readonly uid: number;
}

/** Above the ranges that distributions and container managers allocate; the small one is for workers in a user namespace. */
const firstUid = 1_900_000_000;
const firstUidSmall = 64_000;

/** User ID of supervisors in containers: never the user of an execution. */
export const supervisorUid = firstUid - 1;

/** Slots of this process, which it need not try: each attempt opens a socket. */
const taken = new Set<number>();
let firstUidHere: Promise<number> | undefined;

/** Fault `EXEC_FAILED` when all slots are taken. */
export async function takeSlot(): Promise<Slot> {
  firstUidHere ??= firstMapped();
  const first = await firstUidHere;
  for (let uid = first; uid < first + slotsMax; uid += 1) {
    if (taken.has(uid)) continue;
    taken.add(uid);
    let held: AsyncDisposable | undefined;
    try {
      held = await takeHostLock(`uid-${uid}`);
    } finally {
      if (!held) taken.delete(uid);
    }
    if (held) return toSlot(uid, held);
  }
  throw new Fault('EXEC_FAILED', { because: 'every execution slot is taken', slots: slotsMax });
}

function toSlot(uid: number, held: AsyncDisposable): Slot {
  return {
    uid,
    [Symbol.asyncDispose]: async () => {
      await held[Symbol.asyncDispose]();
      taken.delete(uid);
    },
  };
}

/** For programs on this host. A worker that is not root cannot change its user: only namespaces then keep executions apart. */
export async function takeSlotIfRoot(): Promise<Slot> {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? takeSlot() : { uid, [Symbol.asyncDispose]: async () => undefined };
}

async function firstMapped(): Promise<number> {
  const map = await readFile('/proc/self/uid_map', 'utf8').catch(() => '0 0 4294967295');
  const ranges = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const fits = ranges.some(
    ([first = 0, , count = 0]) => first <= firstUid && firstUid + slotsMax <= first + count,
  );
  return fits ? firstUid : firstUidSmall;
}
