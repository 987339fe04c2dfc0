import { fileName, type TurnNames } from '../../runtime/tools/files/file-path.ts';
import type { FoundOutput } from '../cell/cell.ts';
import { misplacedPaths } from './contract.ts';
import type { UndeclaredOutput } from './undeclared-outputs.ts';

type SearchedOutputs = TurnNames & {
  readonly found: ReadonlyMap<string, FoundOutput>;
  readonly unasked: readonly UndeclaredOutput[];
};

/**
 * Finds a missing file of the contract at another path beneath OUTPUT_DIR: next to the folders of files, or in one of them
 * under another path, if only one file there has its name.
 */
export function findMisplacedOutput(
  filepath: string,
  { found, unasked, ...names }: SearchedOutputs,
): string | undefined {
  const beside = misplacedPaths(filepath, names).find(
    (path) => found.get(path)?.kind === 'unasked',
  );
  const named = unasked.filter((one) => fileName(one.filepath) === fileName(filepath));
  return beside ?? (named.length === 1 ? named[0]?.filepath : undefined);
}
