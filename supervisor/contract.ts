import { Refusal } from '../runtime/base/refusal.ts';
import { type TurnNames, toTurnFile, turnNames } from '../runtime/tools/file-path.ts';
import type { ContractItem, ExecRequest, InputFile } from '../runtime/tools/sandbox.ts';
import { contractItemsMax } from './files-limits.ts';
import { codeCharsMax } from './protocol/limits.ts';

/**
 * The contract with every path as `outputs/…` or `files/…` of this turn. Refusals: `path_refused`,
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
    filepath: toTurnFile(item.filepath, names),
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

/** Inputs stay beneath OUTPUT_DIR and each has a place of its own. Refusal: `path_refused`. */
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
 * Where to look when a program has ended: for its files, and, where it may have left more, into the folders of files and
 * for its files beside these folders, each with a `/` behind it.
 */
export function searchPaths({
  contract,
  code,
  ...names
}: Pick<ExecRequest, 'contract' | 'turn' | 'turnName' | 'code'>): readonly string[] {
  const files = contract.flatMap(({ filepath }) => candidatePaths(filepath, names));
  // Its working directory is another: whoever writes there says where.
  if (!/OUTPUT_DIR|outputs|files/.test(code)) return files;
  const folders = ['outputs', 'files'].flatMap((folder) => candidatePaths(`${folder}/`, names));
  const beside = contract.flatMap((item) => misplacedPaths(item.filepath, names));
  return [...files, ...folders, ...new Set(beside.map((path) => `${path}/`))];
}

/** Its own copies of the files in `files/`, as it finds them. */
export function workspaceOf({ inputs }: Pick<ExecRequest, 'inputs'>): readonly InputFile[] {
  return inputs.filter(({ filepath, writable }) => writable && filepath.startsWith('files/'));
}

/** A folder to look into, or a file that is only looked for: what is found there was not asked for under that name. */
export function isFolder(path: string): boolean {
  return path.endsWith('/');
}

/** Whether a file stands at or beneath a path with a `/` behind it. */
export function isWithin(folder: string, path: string): boolean {
  return `${path}/`.startsWith(folder);
}

/** Where a program may leave a contracted file, beneath OUTPUT_DIR. */
export function candidatePaths(filepath: string, names: TurnNames): readonly string[] {
  return [filepath, ...turnNames(names).map((name) => `${name}/${filepath}`)];
}

/** Where it lies if its program took OUTPUT_DIR for `outputs/`, or for `files/`; beside both. */
export function misplacedPaths(filepath: string, names: TurnNames): readonly string[] {
  const name = filepath.slice(filepath.indexOf('/') + 1);
  return /^(outputs|files)\//.test(name) ? [] : candidatePaths(name, names);
}
