import { Duplex, PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Cell, CellKind, Exit } from '../../../supervisor/cell/cell.ts';
import { kindsMax, openingMax, refillMs } from '../../../supervisor/pool/limits.ts';
import { openWarmCell } from '../../../supervisor/pool/open-warm-cell.ts';
import { CellPool } from '../../../supervisor/pool/pool.ts';
import { encodeFrame } from '../../../supervisor/protocol/frame.ts';
import { protocolVersion } from '../../../supervisor/protocol/messages.ts';

// proves: exec.pool, exec.expected

const { signal } = new AbortController();
const kind: CellKind = {
  language: 'python',
  limits: { memoryMb: 1, fileMb: 1, workspaceMb: 1, processes: 1 },
  folders: [],
};

/** A cell without a sandbox: it greets, and ends when it is killed. */
class Standing implements Cell {
  readonly stream = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  disposed = false;
  kill: () => void = () => undefined;

  constructor() {
    this.exited = new Promise((resolve) => {
      this.kill = () => {
        this.stream.push(null);
        this.stderr.end();
        resolve({ code: 137, outOfMemory: false, lost: false });
      };
    });
  }

  greet(): void {
    this.stream.push(encodeFrame({ type: 'hello', version: protocolVersion }));
  }

  settle = async () => undefined;
  stageInputs = async () => undefined;
  collect = async () => undefined;
  mountFile = async () => undefined;
  [Symbol.asyncDispose] = async () => {
    this.disposed = true;
    this.kill();
  };
}

function poolOf(size: number, { greets = true } = {}) {
  const made: Standing[] = [];
  const open = async () => {
    const cell = new Standing();
    made.push(cell);
    if (greets) cell.greet();
    return cell;
  };
  const pool = new CellPool({ open, size, clock: systemClock, log: silentLog });
  const standing = () => made.filter(({ disposed }) => !disposed);
  return { pool, made, standing };
}

/** Everything that is under way without waiting has come to its end. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

test('the pool keeps its size, and a taken executor is replaced after its program has begun', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, made } = poolOf(3);
  pool.keep([kind]);
  await quiet();
  expect(made).toHaveLength(3);
  const { cell } = await pool.take(kind, { signal });
  expect(cell).toBe(made[0]);
  await quiet();
  expect(made).toHaveLength(3);
  vi.advanceTimersByTime(refillMs);
  await quiet();
  expect(made).toHaveLength(4);
  await cell[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  expect(made.every(({ disposed }) => disposed)).toBe(true);
});

// proves: exec.present
test('without kinds to keep, the waiting executors end, and the one that was taken is not replaced', async () => {
  const { pool, standing } = poolOf(2);
  pool.keep([kind]);
  await quiet();
  const { cell } = await pool.take(kind, { signal });
  pool.keep([]);
  await quiet();
  expect(standing()).toEqual([cell]);
  await cell[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

test('an executor is never used twice', async () => {
  const { pool } = poolOf(1);
  const taken = new Set<Cell>();
  for (let n = 0; n < 10; n += 1) {
    const { cell } = await pool.take(kind, { signal });
    expect(taken.has(cell)).toBe(false);
    taken.add(cell);
    await cell[Symbol.asyncDispose]();
  }
  await pool[Symbol.asyncDispose]();
});

test('an executor that dies while waiting is removed and replaced', async () => {
  const { pool, made, standing } = poolOf(2);
  pool.keep([kind]);
  await quiet();
  made[0]?.kill();
  await quiet();
  expect(made[0]?.disposed).toBe(true);
  expect(standing()).toHaveLength(2);
  await pool[Symbol.asyncDispose]();
});

test('programs with different limits never share an executor', async () => {
  const { pool, made } = poolOf(1);
  pool.keep([kind]);
  await quiet();
  const larger = { ...kind, limits: { ...kind.limits, memoryMb: 2 } };
  const { cell } = await pool.take(larger, { signal });
  expect(cell).not.toBe(made[0]);
  await cell[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

test('an announced program gets an executor, which is closed if the program does not arrive', async () => {
  const { pool, made, standing } = poolOf(0);
  const hint = pool.expect(kind);
  await quiet();
  expect(made).toHaveLength(1);
  const { cell } = await pool.take(kind, { signal });
  expect(cell).toBe(made[0]);
  hint[Symbol.dispose]();
  pool.expect(kind)[Symbol.dispose]();
  await quiet();
  expect(made).toHaveLength(2);
  expect(standing()).toEqual([cell]);
  await cell[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

test('programs that need their own cells take no room from shared kinds, and each gets its own', async () => {
  const { pool, made, standing } = poolOf(1);
  const usual = { ...kind, limits: { ...kind.limits, memoryMb: 2 } };
  const first = await pool.take(usual, { signal });
  pool.keep([usual]);
  await quiet();
  const waits = made[1];
  const other = (n: number) => ({ ...kind, folders: [`turn_${n}`] });
  const many = Array.from({ length: 2 * kindsMax }, (_, n) => other(n));
  for (const one of many) pool.expect(one);
  await quiet();
  expect(made).toHaveLength(2 + many.length);
  for (const one of many) await (await pool.take(one, { signal })).cell[Symbol.asyncDispose]();
  expect(made).toHaveLength(2 + many.length);
  expect(standing().map((cell) => made.indexOf(cell))).toEqual([0, 1]);
  const second = await pool.take(usual, { signal });
  expect(second.cell === waits).toBe(true);
  for (const { cell } of [first, second]) await cell[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

test('a cancelled request leaves its starting executor to the next request', async () => {
  const { pool, made } = poolOf(0, { greets: false });
  const control = new AbortController();
  const given = pool.take(kind, { signal: control.signal });
  await quiet();
  control.abort(new Error('changed my mind'));
  await expect(given).rejects.toThrow('changed my mind');
  await pool[Symbol.asyncDispose]();
  expect(made.every(({ disposed }) => disposed)).toBe(true);
});

test('many requests start executors a few at a time', async () => {
  const { pool, made } = poolOf(0, { greets: false });
  const all = Array.from({ length: 20 }, () =>
    pool.take(kind, { signal: new AbortController().signal }),
  );
  await quiet();
  expect(made).toHaveLength(openingMax);
  for (let at = 0; at < 20; at += 1) {
    made[at]?.greet();
    await quiet();
  }
  const cells = (await Promise.all(all)).map(({ cell }) => cell);
  expect(new Set(cells).size).toBe(20);
  await Promise.all(cells.map((cell) => cell[Symbol.asyncDispose]()));
  await pool[Symbol.asyncDispose]();
});

test('an executor that sends hello after it was discarded does not count as waiting', async () => {
  const control = new AbortController();
  const cell = new Standing();
  const end = cell.kill;
  cell.kill = () => {
    // Its greeting was on the way already.
    cell.greet();
    setImmediate().then(end, end);
  };
  const warm = openWarmCell(kind, { open: async () => cell, signal: control.signal });
  await quiet();
  control.abort(new Error('too late'));
  await expect(warm).rejects.toThrow('too late');
  expect(cell.disposed).toBe(true);
});

test('an executor that ends without a hello fails with its error output', async () => {
  const { pool, made } = poolOf(0, { greets: false });
  const given = pool.take(kind, { signal });
  await quiet();
  made[0]?.stderr.write('launcher: no\n');
  made[0]?.kill();
  await expect(given).rejects.toMatchObject({
    code: 'EXEC_FAILED',
    detail: { because: 'launcher: no' },
  });
  await pool[Symbol.asyncDispose]();
});
