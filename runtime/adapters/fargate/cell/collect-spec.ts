import type { FoundOutput } from '../../../../supervisor/cell/cell.ts';
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

/** Paths to collect when a program has ended, and the workspace files it was given. */
export type CollectSpec = {
  readonly paths: readonly string[];
  readonly given: ReadonlyMap<string, BlobRef>;
};

/** Used until the program is known. */
export const emptyCollectSpec: CollectSpec = { paths: [], given: new Map() };

export function toCollectSpec(request: ExecRequest): CollectSpec {
  const given = workspaceOf(request).map(({ filepath, blob }) => [filepath, blob] as const);
  return { paths: searchPaths(request), given: new Map(given) };
}

/** The fields of the task's `seal` message. */
export function toSealRequest({ given }: CollectSpec, paths: readonly string[]) {
  return {
    paths: [...paths],
    given: [...given].map(([name, blob]) => ({ name, ...blob })),
  };
}

/** The blob of a workspace file that the program did not change; the task does not upload such files. */
export function unchangedInput(
  file: SealedFile & { kind: 'file' },
  { given }: CollectSpec,
): BlobRef | undefined {
  const known = given.get(withoutTurnName(file.path));
  return known?.hash === file.hash ? known : undefined;
}

/** Every requested file as `missing`, before any was found. */
export function missingAt(paths: readonly string[]): Map<string, FoundOutput> {
  return new Map(
    paths.filter((path) => !isFolder(path)).map((path) => [path, { kind: 'missing' }]),
  );
}

/** Fault `EXEC_PROTOCOL` for a file that was not requested, by its path or its folder. */
export function assertRequested(path: string, paths: readonly string[]): void {
  const sought = paths.some((each) => (isFolder(each) ? isWithin(each, path) : path === each));
  if (!sought)
    throw new Fault('EXEC_PROTOCOL', { because: 'the task sent a file that was not requested' });
}
