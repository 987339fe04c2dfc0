import { Refusal } from '../../../base/refusal.ts';
import { type TurnNames, toTurnFilePath } from '../../files/file-path.ts';
import type { ContractItem, Language } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';

type ContractInput = {
  readonly filepath: string;
  readonly description: string;
  readonly visibility: 'external' | 'internal';
};

/**
 * The contract with every path as `outputs/…` or `files/…` of this turn; a bare name goes to outputs.
 * Refusals `path_refused`, `contract_duplicate`.
 */
export function toContract(
  items: readonly ContractInput[],
  names: TurnNames,
): readonly ContractItem[] {
  const contract = items.map((item) => ({
    ...item,
    filepath: toTurnFilePath(item.filepath, { ...names, bare: 'outputs' }),
  }));
  const paths = contract.map(({ filepath }) => filepath);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new Refusal('contract_duplicate', `The contract names ${twice} twice.`);
  return contract;
}

/** The program of this call. Refusals `missing_code`, `code_language`, `code_contaminated`, each with instructions. */
export function programOf({ code }: CallContext, language: Language): string {
  if (code === undefined || code.text.trim() === '') {
    const how = 'Write it into the code channel that follows the decision';
    throw new Refusal('missing_code', `The program is missing. ${how}.`);
  }
  if (code.language !== language) {
    const message = `The code channel holds ${code.language}, this tool runs ${language}.`;
    throw new Refusal('code_language', message);
  }
  const lines = code.text.trim().split('\n');
  for (const line of [lines[0] ?? '', lines.at(-1) ?? '']) assertCode(line);
  return code.text;
}

/** A code fence or tag around the program is stray markup, never part of the program. */
function assertCode(line: string): void {
  if (!/^\s*(```|<\/?(channel:|thinking\b))/i.test(line)) return;
  const message = `The code channel takes the bare program, without fences and tags: “${line.trim().slice(0, 200)}”.`;
  throw new Refusal('code_contaminated', message);
}
