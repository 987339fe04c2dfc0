import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCell } from '../../../supervisor/cell/build-cell.ts';
import type { Cell, CellKind } from '../../../supervisor/cell/cell.ts';
import { takeSlotIfRoot } from '../../../supervisor/cell/slots.ts';
import type { Scope } from '../../base/scope.ts';
import { sandboxArgv } from './bwrap.ts';
import { openInfoFile } from './info-file.ts';
import { openLimitGroup } from './limit-group.ts';
import { openPipes } from './pipes.ts';
import { isSystemError, ProcessCell } from './process-cell.ts';
import type { SandboxParts } from './sandbox-parts.ts';
import { SandboxSetup } from './sandbox-setup.ts';
import { spawnSandbox } from './spawn.ts';

const mebibyte = 1024 * 1024;

/** Opens a bubblewrap sandbox with its own host user, pid namespace and memory file systems of a fixed size. */
export async function openProcessCell(
  kind: CellKind,
  parts: SandboxParts,
  { signal }: { signal: AbortSignal },
): Promise<Cell> {
  const isOutside = isSystemError;
  return buildCell({ signal, isOutside }, (scope) => build(kind, parts, scope));
}

async function build(kind: CellKind, parts: SandboxParts, scope: Scope): Promise<Cell> {
  const { stage, bwrap, helper, profile, executor } = parts;
  const { cpus, inodes } = profile;
  const slot = scope.own(await takeSlotIfRoot());
  const { uid } = slot;
  const { name, path: folder } = await stage.folder({ uid });
  const inputs = join(folder, 'inputs');
  scope.defer(() => removeFolder(folder, inputs));
  const bytes = kind.limits.memoryMb * mebibyte;
  const group = await openLimitGroup(`${stage.name}-${name}`, { bytes, cpus });
  if (group) scope.own(group);
  await mkdir(inputs, { mode: 0o755 });
  const grouped = group !== undefined;
  const argv = await sandboxArgv(kind, { ...parts, inputs, cpus, grouped });
  const filter = await executor.ready();
  const info = scope.own(await openInfoFile(folder));
  // From here on nothing may fail before the pipes are handed over.
  const pipes = await openPipes(folder, { uid, helper });
  const spawned = await spawnSandbox(bwrap, { argv, uid, pipes, info, filter });
  const [stdout, stderr] = [pipes[0].read, pipes[1].read];
  const furnisher = new SandboxSetup({ ...parts, uid, inputs, inodes });
  const made = { spawned, slot, group, stdout, stderr, scope, furnisher };
  const cell = new ProcessCell({ ...made, fileMb: kind.limits.fileMb });
  scope.defer(() => cell.end());
  return cell;
}

/** Most folders are empty, and quickly gone. */
async function removeFolder(folder: string, inputs: string): Promise<void> {
  try {
    await rmdir(inputs);
    await rmdir(folder);
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
}
