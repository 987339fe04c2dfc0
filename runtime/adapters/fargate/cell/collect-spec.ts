import type { Found } from '../../../../supervisor/cell/cell.ts';
import {
  isFolder,
  isWithin,
  searchPaths,
  workspaceOf,
} from '../../../../supervisor/files/contract.ts';
import { withoutTurnName } from '../../../../supervisor/files/workspace-retention.ts';
import { Fault } from '../../../base/fault.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { ExecRequest } from '../../../tools/ports/sandbox.ts';
import type { SealedFile } from '../queue/messages.ts';

/** Where to look when a program has ended, and what it had been given of its workspace. */
export type CollectSpec = {
  readonly paths: readonly string[];
  readonly given: ReadonlyMap<string, BlobRef>;
};

/** Of a program that is not known yet. */
export const emptyCollectSpec: CollectSpec = { paths: [], given: new Map() };

export function toCollectSpec(request: ExecRequest): CollectSpec {
  const given = workspaceOf(request).map(({ filepath, blob }) => [filepath, blob] as const);
  return { paths: searchPaths(request), given: new Map(given) };
}

/** As it is said to the task. */
export function toSealRequest({ given }: CollectSpec, paths: readonly string[]) {
  return {
    paths: [...paths],
    given: [...given].map(([name, blob]) => ({ name, ...blob })),
  };
}

/** Of a file as it was given nothing was put into the bucket. */
export function unchangedInput(
  file: SealedFile & { kind: 'file' },
  { given }: CollectSpec,
): BlobRef | undefined {
  const known = given.get(withoutTurnName(file.path));
  return known?.hash === file.hash ? known : undefined;
}

/** Nothing of it has been found yet. */
export function missingAt(paths: readonly string[]): Map<string, Found> {
  return new Map(
    paths.filter((path) => !isFolder(path)).map((path) => [path, { kind: 'missing' }]),
  );
}

/** Fault `EXEC_PROTOCOL` for a file that is neither asked for nor in a folder that is. */
export function assertRequested(path: string, paths: readonly string[]): void {
  const sought = paths.some((each) => (isFolder(each) ? isWithin(each, path) : path === each));
  if (!sought) throw new Fault('EXEC_PROTOCOL', { because: 'a file nobody asked for' });
}
