import { Refusal } from '../../runtime/base/refusal.ts';
import { type TurnNames, toTurnFilePath, turnNames } from '../../runtime/tools/files/file-path.ts';
import type { ContractItem, ExecRequest, InputFile } from '../../runtime/tools/ports/sandbox.ts';
import { codeCharsMax } from '../protocol/limits.ts';
import { contractItemsMax } from './limits.ts';

/**
 * Returns the contract with every path as `outputs/…` or `files/…` of this turn. Refusals: `path_refused`,
 * `too_many_files`, `duplicate_file`.
 */
export function toContract(
  items: readonly ContractItem[],
  names: TurnNames,
): readonly ContractItem[] {
  if (items.length > contractItemsMax) {
    throw new Refusal('too_many_files', `a contract names at most ${contractItemsMax} files`);
  }
  const contract = items.map((item) => ({
    ...item,
    filepath: toTurnFilePath(item.filepath, names),
  }));
  const seen = new Set<string>();
  for (const { filepath } of contract) {
    if (seen.has(filepath)) throw new Refusal('duplicate_file', `${filepath} is named twice`);
    seen.add(filepath);
  }
  return contract;
}

/** Refusal: `code_too_long`. */
export function checkCode(code: string): void {
  if (code.length <= codeCharsMax) return;
  throw new Refusal('code_too_long', `a program has at most ${codeCharsMax} characters`);
}

/** Checks that inputs stay beneath OUTPUT_DIR and that no two have the same path. Refusal: `path_refused`. */
export function checkInputs(inputs: readonly InputFile[]): void {
  const seen = new Set<string>();
  for (const { filepath } of inputs) {
    const names = filepath.split('/');
    const safe = names.length > 1 && names.every(isName) && !seen.has(filepath);
    if (!safe) throw new Refusal('path_refused', `${filepath} is not a place for an input`);
    seen.add(filepath);
  }
}

function isName(name: string): boolean {
  return !['', '.', '..'].includes(name) && name.length <= 200 && !name.includes('\0');
}

/**
 * Paths to search after a program has ended: its contracted files and, if it may have left more, the folders of files and
 * misplaced files next to these folders, each with a `/` at the end.
 */
export function searchPaths({
  contract,
  code,
  ...names
}: Pick<ExecRequest, 'contract' | 'turn' | 'turnName' | 'code'>): readonly string[] {
  const files = contract.flatMap(({ filepath }) => candidatePaths(filepath, names));
  // The working directory is a different one: a program that writes to these folders mentions one of these names.
  if (!/OUTPUT_DIR|outputs|files/.test(code)) return files;
  const folders = ['outputs', 'files'].flatMap((folder) => candidatePaths(`${folder}/`, names));
  const beside = contract.flatMap((item) => misplacedPaths(item.filepath, names));
  return [...files, ...folders, ...new Set(beside.map((path) => `${path}/`))];
}

/** The program's own copies of the files in `files/`, as it was given them. */
export function workspaceOf({ inputs }: Pick<ExecRequest, 'inputs'>): readonly InputFile[] {
  return inputs.filter(({ filepath, writable }) => writable && filepath.startsWith('files/'));
}

/** A folder to search, or a misplaced file to look for: files found there are undeclared. */
export function isFolder(path: string): boolean {
  return path.endsWith('/');
}

/** Whether a file is at or beneath a path that ends with `/`. */
export function isWithin(folder: string, path: string): boolean {
  return `${path}/`.startsWith(folder);
}

/** Paths beneath OUTPUT_DIR where a program may leave a contracted file. */
export function candidatePaths(filepath: string, names: TurnNames): readonly string[] {
  return [filepath, ...turnNames(names).map((name) => `${name}/${filepath}`)];
}

/** Paths of a contracted file whose program used OUTPUT_DIR as if it were `outputs/` or `files/`. */
export function misplacedPaths(filepath: string, names: TurnNames): readonly string[] {
  const name = filepath.slice(filepath.indexOf('/') + 1);
  return /^(outputs|files)\//.test(name) ? [] : candidatePaths(name, names);
}
