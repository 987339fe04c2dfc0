import { isRefusal } from '../../runtime/base/refusal.ts';
import type { BlobRef } from '../../runtime/timeline/block.ts';
import { type TurnNames, toTurnFilePath } from '../../runtime/tools/files/file-path.ts';
import type { ExecRequest, LeftoverFile } from '../../runtime/tools/ports/sandbox.ts';
import type { FoundOutput } from '../cell/cell.ts';
import { candidatePaths } from './contract.ts';

/** A file that the contract does not name, under the path that a contract could use. */
export type UndeclaredOutput =
  | { readonly kind: 'kept'; readonly filepath: string; readonly blob: BlobRef }
  | ({ readonly kind: 'left' } & LeftoverFile);

/** Undeclared outputs, without unchanged inputs and without paths that no contract could name. */
export function undeclaredOutputs(
  found: ReadonlyMap<string, FoundOutput>,
  { turn, turnName, inputs, contract }: ExecRequest,
): readonly UndeclaredOutput[] {
  const names = { turn, turnName };
  const asked = new Set(contract.flatMap(({ filepath }) => candidatePaths(filepath, names)));
  const given = new Map(inputs.map(({ filepath, blob }) => [filepath, blob]));
  const files = new Map<string, UndeclaredOutput>();
  for (const [path, one] of found) {
    const filepath = asked.has(path) ? undefined : toContractPath(path, names);
    const file = filepath === undefined ? undefined : toUndeclared(filepath, one, given);
    if (file === undefined) continue;
    const twice = files.get(file.filepath);
    files.set(file.filepath, twice ? ambiguous(twice) : file);
  }
  return [...files.values()];
}

function toUndeclared(
  filepath: string,
  found: FoundOutput,
  given: ReadonlyMap<string, BlobRef>,
): UndeclaredOutput | undefined {
  const before = given.get(filepath);
  switch (found.kind) {
    case 'file':
      if (before?.hash === found.blob.hash) return undefined;
      return { kind: 'kept', filepath, blob: found.blob };
    case 'unasked':
      return before?.size === found.size ? undefined : { kind: 'left', filepath, size: found.size };
    case 'refused':
      return { kind: 'left', filepath, size: 0, code: found.code };
    case 'missing':
      return undefined;
  }
}

/** The same name in both places of a turn: it is not clear which one is meant. */
function ambiguous(one: UndeclaredOutput): UndeclaredOutput {
  const size = one.kind === 'kept' ? one.blob.size : one.size;
  return { kind: 'left', filepath: one.filepath, size, code: 'ambiguous_output' };
}

function toContractPath(path: string, names: TurnNames): string | undefined {
  try {
    return toTurnFilePath(path, names);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
