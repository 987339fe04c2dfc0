import { Refusal } from '../../base/refusal.ts';
import type { ContractItem, InputFile } from '../sandbox.ts';
import type { CallContext } from '../tool.ts';
import { filesOf, pulledName } from '../workspace.ts';
import { inputsMax } from './limits.ts';

/**
 * What a program finds under OUTPUT_DIR: attachments of this turn (read-only), files/ and earlier outputs/ of this
 * turn (its own copies), pulled files of other turns (read-only). What the contract asks for in outputs/ is left out:
 * it has to be made anew.
 */
export async function inputsOf(
  context: CallContext,
  contract: readonly ContractItem[],
): Promise<readonly InputFile[]> {
  const { view, turn } = context;
  const owed = new Set(contract.map(({ filepath }) => filepath));
  const own = view.turns.findLast(({ id }) => id === turn);
  const inputs = new Map<string, InputFile>();
  for (const { local, blob } of own ? filesOf(own) : []) {
    if (local.startsWith('outputs/') && owed.has(local)) continue;
    inputs.set(local, { filepath: local, blob, writable: !local.startsWith('attachments/') });
  }
  for (const path of view.pulled) {
    const input = await pulledInput(path, context);
    if (input) inputs.set(input.filepath, input);
  }
  if (inputs.size > inputsMax) {
    const message = `A program may find ${inputsMax} files; this one would find ${inputs.size}.`;
    throw new Refusal('too_many_inputs', message);
  }
  return [...inputs.values()];
}

/** Where a program will find the pulled files of other turns: known before it is written. */
export function pulledFolders({
  view,
  turn,
}: Pick<CallContext, 'view' | 'turn'>): readonly string[] {
  const names = [...view.pulled].flatMap((path) => pulledName(path)?.split('/', 1) ?? []);
  return [...new Set(names)].filter((name) => name !== turn);
}

async function pulledInput(
  path: string,
  { services, turn }: CallContext,
): Promise<InputFile | undefined> {
  const filepath = pulledName(path);
  if (filepath === undefined || filepath.startsWith(`${turn}/`)) return undefined;
  const resolved = await services.read(path);
  return resolved?.blob && { filepath, blob: resolved.blob, writable: false };
}
