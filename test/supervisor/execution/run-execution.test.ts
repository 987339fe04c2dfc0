import { Duplex, PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { Fault } from '../../../runtime/base/fault.ts';
import type { Log } from '../../../runtime/base/log.ts';
import type { BlobStore } from '../../../runtime/timeline/ports/blobs.ts';
import type { Cell, Exit, FileRetention, FoundOutput } from '../../../supervisor/cell/cell.ts';
import { runExecution } from '../../../supervisor/execution/run-execution.ts';
import { collectMsMax } from '../../../supervisor/files/limits.ts';
import { openWarmCell } from '../../../supervisor/pool/open-warm-cell.ts';
import { encodeFrame, FrameDecoder } from '../../../supervisor/protocol/frame.ts';
import { protocolVersion } from '../../../supervisor/protocol/messages.ts';
import { contract, type echoHost, ran, request } from '../../integration/exec/kit.ts';

// proves: exec.not-collected, exec.started-again

const unavailable = new Fault('BLOBS_UNAVAILABLE', { because: 'ENOSPC' });
const failed = new Fault('EXEC_FAILED', { because: 'the engine is gone' });

type Collecting = (options: {
  keep: FileRetention;
  signal: AbortSignal;
  found: Map<string, FoundOutput>;
}) => Promise<void>;

/** A cell without a sandbox: its program ends as soon as it was sent, and leaves what a test says. */
class Ready implements Cell {
  readonly stream: Duplex;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  readonly collect: Cell['collect'];
  readonly stageInputs: () => Promise<void>;
  disposed = false;
  kill: () => void = () => undefined;

  constructor({
    collect = async () => undefined,
    furnish = async () => undefined,
    sent,
  }: Ways = {}) {
    const decoder = new FrameDecoder();
    this.stream = new Duplex({
      read: () => undefined,
      write: (chunk, _, done) => {
        if ([...decoder.push(chunk)].length > 0) {
          if (sent) this.stream.push(encodeFrame(sent));
          this.#end(0);
        }
        done();
      },
    });
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.kill = () => this.#end(137);
    this.collect = (_, options) => collect(options);
    this.stageInputs = furnish;
    this.stream.push(encodeFrame({ type: 'hello', version: protocolVersion }));
  }

  #exit: (exit: Exit) => void = () => undefined;

  #end(code: number): void {
    this.stream.push(null);
    this.stdout.end();
    this.stderr.end();
    this.#exit({ code, outOfMemory: false, lost: false });
  }

  settle = async () => undefined;
  mountFile = async () => undefined;
  [Symbol.asyncDispose] = async () => {
    this.disposed = true;
    this.kill();
  };
}

type Ways = {
  readonly collect?: Collecting;
  readonly furnish?: () => Promise<void>;
  /** A message that the program sends just before it ends. */
  readonly sent?: object;
};

/** Runs one program in the first of these cells, or in the next if it is started again. */
async function run(
  cells: readonly Cell[],
  { blobs = openMemoryBlobStore(), startsMax = 2 }: { blobs?: BlobStore; startsMax?: number } = {},
) {
  const waiting = [...cells];
  const warned: unknown[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => warned.push(message),
    error: (message) => warned.push(message),
    with: () => log,
  };
  let teardown: Promise<void> = Promise.resolve();
  const sandbox = {
    backend: 'none',
    languages: ['python'] as const,
    run: (
      asked: Parameters<typeof runExecution>[0],
      host: typeof echoHost,
      { signal }: { signal: AbortSignal },
    ) =>
      runExecution(asked, host, {
        backend: 'none',
        startsMax,
        blobs,
        clock: systemClock,
        log,
        signal,
        take: () =>
          openWarmCell(kind, { open: async () => waiting.shift() ?? new Ready(), signal }),
        finish: (ending) => {
          teardown = ending;
        },
      }),
  };
  const asked = request('python', 'open("outputs/a.txt")', {
    contract: contract('outputs/a.txt', 'outputs/b.txt'),
  });
  const { envelope, events } = await ran(sandbox, asked);
  await teardown;
  return { envelope, events, warned };
}

const kind = {
  language: 'python',
  limits: { memoryMb: 1, fileMb: 1, workspaceMb: 1, processes: 1 },
  folders: [],
} as const;

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

const first: Collecting = async ({ keep, found }) => {
  const file = { path: 'outputs/a.txt', size: 1 };
  found.set(file.path, { kind: 'file', blob: await keep.put(file, bytes('a')) });
};

test('files that a sandbox can no longer provide are lost, and collected ones stay', async () => {
  const collect: Collecting = async (options) => {
    await first(options);
    throw failed;
  };
  const { envelope, warned } = await run([new Ready({ collect })]);
  expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/a.txt']);
  expect(envelope.error).toMatchObject({
    code: 'not_collected',
    files: [{ filepath: 'outputs/b.txt', code: 'not_collected' }],
  });
  expect(envelope.error?.message).toContain('do not repeat');
  expect(envelope.kill_reason).toBe(null);
  expect(warned).toEqual(['files not collected']);
});

test('a failing store costs the files, and its error is reported', async () => {
  const blobs: BlobStore = {
    ...openMemoryBlobStore(),
    put: async () => {
      throw unavailable;
    },
  };
  const { envelope } = await run([new Ready({ collect: first })], { blobs });
  expect(envelope.artifacts).toEqual([]);
  expect(envelope.error).toMatchObject({ code: 'not_collected' });
  expect(envelope.error?.message).toContain('blob store');
});

test('a store that cannot return a kept file costs that file', async () => {
  const memory = openMemoryBlobStore();
  const blobs: BlobStore = {
    put: (tenant, content, options) => memory.put(tenant, content, options),
    get: (tenant, hash, options) => memory.get(tenant, hash, options),
    remove: (tenant, hash, options) => memory.remove(tenant, hash, options),
    open: async () => {
      throw unavailable;
    },
  };
  const collect: Collecting = async (options) => {
    await first(options);
    options.found.set('outputs/b.txt', { kind: 'missing' });
    options.found.set('turn_00000000000000000001/outputs/b.txt', { kind: 'missing' });
  };
  const { envelope } = await run([new Ready({ collect })], { blobs });
  expect(envelope.error).toMatchObject({ code: 'not_collected' });
  expect(envelope.error?.files).toContainEqual({
    filepath: 'outputs/a.txt',
    code: 'not_collected',
  });
});

test('collecting ends at its time limit with the files found so far', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const collect: Collecting = async (options) => {
    await first(options);
    vi.advanceTimersByTime(collectMsMax);
    options.signal.throwIfAborted();
  };
  const { envelope } = await run([new Ready({ collect })]);
  expect(envelope.error).toMatchObject({ code: 'not_collected' });
  expect(envelope.error?.message).toContain('60 s');
});

test('a failed teardown is logged and does not hide the result', async () => {
  const cell = new Ready();
  cell[Symbol.asyncDispose] = async () => {
    throw failed;
  };
  const broken = new Ready({
    furnish: async () => {
      throw failed;
    },
  });
  broken[Symbol.asyncDispose] = cell[Symbol.asyncDispose];
  const { envelope, warned } = await run([broken, cell]);
  expect(envelope.kill_reason).toBe(null);
  const kept = ['program did not begin; starting again', 'files not collected'];
  expect(warned.filter((said) => !kept.includes(String(said)))).toEqual([
    'execution not torn down',
    'execution not torn down',
  ]);
});

test('a program that has not begun is started again once, and the log has the reason', async () => {
  const unfurnished = () => new Ready({ furnish: async () => Promise.reject(failed) });
  const lost = unfurnished();
  const once = await run([lost, new Ready()]);
  expect(once.envelope.kill_reason).toBe(null);
  expect(once.warned).toContain('program did not begin; starting again');
  expect(once.events.filter(({ kind: one }) => one === 'ready')).toHaveLength(1);
  expect(lost.disposed).toBe(true);
  const twice = await run([unfurnished(), unfurnished(), new Ready()]);
  expect(twice.envelope).toMatchObject({ kill_reason: 'lost' });
  const never = await run([unfurnished(), new Ready()], { startsMax: 1 });
  expect(never.envelope).toMatchObject({ kill_reason: 'lost' });
});

test('an executor that ends before it gets its program is replaced', async () => {
  const gone = new Ready();
  gone.kill();
  const ends = new Ready({ furnish: async () => ends.kill() });
  expect((await run([ends, new Ready()])).envelope.kill_reason).toBe(null);
  expect((await run([gone, new Ready()])).envelope.kill_reason).toBe(null);
});

test('a program that breaks the protocol and ends at once has broken the protocol', async () => {
  const forged = { type: 'done', envelope: { ok: true } };
  const { envelope } = await run([new Ready({ sent: forged })]);
  expect(envelope).toMatchObject({ kill_reason: 'protocol', ok: false });
});

test('a permanent error is not retried', async () => {
  const missing = new Fault('BLOB_MISSING');
  const without = new Ready({ furnish: async () => Promise.reject(missing) });
  const { envelope, warned } = await run([without, new Ready()]);
  expect(envelope.kill_reason).toBe('lost');
  expect(warned).toEqual(['execution failed']);
});
