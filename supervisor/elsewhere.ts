import { fileName, type TurnNames } from '../runtime/tools/file-path.ts';
import type { Found } from './cell.ts';
import { besideOf } from './contract.ts';
import type { Unasked } from './unasked.ts';

type Place = TurnNames & {
  readonly found: ReadonlyMap<string, Found>;
  readonly unasked: readonly Unasked[];
};

/**
 * Where a missing file of the contract lies instead, beneath OUTPUT_DIR: beside the folders of files, or in one of them
 * under another path, if only one file there has its name.
 */
export function elsewhere(
  filepath: string,
  { found, unasked, ...names }: Place,
): string | undefined {
  const beside = besideOf(filepath, names).find((path) => found.get(path)?.kind === 'unasked');
  const named = unasked.filter((one) => fileName(one.filepath) === fileName(filepath));
  return beside ?? (named.length === 1 ? named[0]?.filepath : undefined);
}
