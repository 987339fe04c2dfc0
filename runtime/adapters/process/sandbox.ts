import type { CellKind } from '../../../supervisor/cell/cell.ts';
import { defaultProfile, type Profile } from '../../../supervisor/cell/profile.ts';
import { createSandbox } from '../../../supervisor/execution/create-sandbox.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import { ExecutorFiles } from './executor-files.ts';
import { SandboxHelper } from './helper.ts';
import { openProcessCell } from './open-cell.ts';
import { findBubblewrap, findPython, openStagingDir } from './staging-dir.ts';

type Options = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Warm executors for each kind of program; none if undefined. */
  readonly pool?: number;
  readonly profile?: Profile;
  /** The runtime's own folders: code, bundles, settings, data. Those inside system folders appear empty in the sandbox. */
  readonly hidden?: readonly string[];
};

/**
 * Runs generated code in a bubblewrap sandbox on this machine. Refusal `sandbox_missing` if bubblewrap
 * or Python is not installed; `checkSandbox` tests whether they work here.
 */
export async function openProcessSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  if (process.platform !== 'linux') {
    throw new Refusal('sandbox_missing', 'the process sandbox needs Linux; install Docker instead');
  }
  const bwrap = await findBubblewrap();
  if (bwrap === undefined) throw new Refusal('sandbox_missing', 'install bubblewrap');
  const python = await findPython();
  if (python === undefined) throw new Refusal('sandbox_missing', 'install python3');
  const { blobs, clock, log, pool = 0, profile = defaultProfile, hidden = [] } = options;
  const scope = new Scope();
  const stage = scope.own(await openStagingDir({ log }));
  const helper = scope.own(new SandboxHelper(python));
  const executor = new ExecutorFiles(stage.executor, helper);
  const parts = { stage, bwrap, python, helper, executor, blobs, profile, hidden };
  const open = (kind: CellKind, way: { signal: AbortSignal }) => openProcessCell(kind, parts, way);
  return createSandbox({ backend: 'process', open, pool, profile, blobs, clock, log, scope });
}
