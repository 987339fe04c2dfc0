import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { manualClock } from '../../../runtime/testing/clock.ts';
import { toTurnId } from '../../../runtime/timeline/ids.ts';
import type { BlobStore } from '../../../runtime/timeline/ports/blobs.ts';
import type {
  ContractItem,
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
  Language,
  Sandbox,
} from '../../../runtime/tools/ports/sandbox.ts';
import { loadingMemoryMbMin } from '../../../supervisor/cell/limits.ts';
import { patient } from '../../tools/machine-speed.ts';

export const never = new AbortController().signal;

/** What opening a sandbox takes, the same for every backend. */
export function sandboxParts(): {
  blobs: BlobStore;
  clock: typeof systemClock;
  log: typeof silentLog;
} {
  return { blobs: atDiskPace(openMemoryBlobStore()), clock: systemClock, log: silentLog };
}

/** The same, where no time passes but what a test lets pass: however slow a machine is, no program is late. */
export function timelessParts() {
  return { ...sandboxParts(), clock: manualClock(new Date().toISOString()) };
}

/** A disk takes its time before the first byte and between chunks; who hands it a stream must wait. */
function atDiskPace(store: BlobStore): BlobStore {
  return {
    open: (tenant, hash, options) => store.open(tenant, hash, options),
    get: (tenant, hash, options) => store.get(tenant, hash, options),
    remove: (tenant, hash, options) => store.remove(tenant, hash, options),
    async put(tenant, bytes, options) {
      await setImmediate();
      return store.put(tenant, bytes instanceof Uint8Array ? bytes : paced(bytes), options);
    },
  };
}

async function* paced(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    await setImmediate();
    yield chunk;
  }
}

/** Settings of programs of an installation that says nothing of them. */
export const unsaid = {
  cpus: undefined,
  inodes: undefined,
  runtime: undefined,
  docker: undefined,
};

/** Everything a program asks for is granted and answered with what it was asked. */
export const echoHost: ExecHost = {
  callTool: async ({ tool, input }) => ({ ok: true, ret: { tool, input } }),
  fetchContext: async (path) => ({ ret: { text: `text of ${path}` }, err: null }),
  findFile: async (path) => {
    throw new Refusal('not_found', `Nothing is at ${path}.`);
  },
};

/** A machine may be busy; whatever must end sooner is ended by its test. With so little memory, no libraries are loaded ahead: few programs here use one. */
export const noLimits = {
  timeoutMs: patient(100_000),
  memoryMb: loadingMemoryMbMin - 1,
  fileMb: 64,
  workspaceMb: 128,
  processes: 64,
} as const;

let count = 0;

export function request(
  language: Language,
  code: string,
  change: Partial<ExecRequest> = {},
): ExecRequest {
  count += 1;
  return {
    id: `exec_${process.pid.toString(36)}${Date.now().toString(36)}${count}`,
    tenant: 'test',
    turn: toTurnId('turn_00000000000000000001'),
    language,
    code,
    contract: [],
    inputs: [],
    granted: [],
    limits: noLimits,
    ...change,
  };
}

export function contract(...filepaths: string[]): readonly ContractItem[] {
  return filepaths.map((filepath) => ({ filepath, description: '', visibility: 'external' }));
}

export type Ran = { readonly envelope: ExecEnvelope; readonly events: readonly ExecEvent[] };

type Way = {
  readonly host?: ExecHost;
  readonly signal?: AbortSignal;
  /** Once, when the program has printed something. */
  readonly begun?: () => unknown;
};

/** Runs to the end; exactly one `done`, and it is the last event. */
export async function ran(
  sandbox: Sandbox,
  asked: ExecRequest,
  { host = echoHost, signal = never, begun }: Way = {},
): Promise<Ran> {
  const events: ExecEvent[] = [];
  for await (const event of sandbox.run(asked, host, { signal })) {
    if (event.kind === 'output' && !events.some(({ kind }) => kind === 'output')) await begun?.();
    events.push(event);
  }
  const last = events.at(-1);
  expect(events.filter(({ kind }) => kind === 'done')).toHaveLength(1);
  if (last?.kind !== 'done') throw new Error('the last event is not done');
  return { envelope: last.envelope, events };
}

/** The bytes of the only delivered file, as text. */
export async function delivered(envelope: ExecEnvelope, blobs: BlobStore): Promise<string> {
  const [artifact] = envelope.artifacts;
  if (artifact === undefined) throw new Error('nothing was delivered');
  return Buffer.from(await blobs.get('test', artifact.blob.hash, { signal: never })).toString();
}
