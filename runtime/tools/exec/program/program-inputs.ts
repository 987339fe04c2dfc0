import { Refusal } from '../../../base/refusal.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { filesOf, pulledPath, type TurnFile } from '../../files/workspace.ts';
import type { ContractItem, ExecLimits, InputFile } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { inputsMax } from '../limits.ts';

export type Inputs = {
  readonly inputs: readonly InputFile[];
  /** `fi:` paths of files of this turn that are too large to be copied into the workspace. */
  readonly tooLarge: readonly string[];
};

type InputsRequest = {
  readonly contract: readonly ContractItem[];
  readonly limits: Pick<ExecLimits, 'fileMb' | 'workspaceMb'>;
};

/**
 * The input files of a program under OUTPUT_DIR: attachments of this turn (read-only), files/ and earlier outputs/ of
 * this turn (its own copies), and pulled files of other turns (read-only). Files in outputs/ that the contract names are
 * omitted, because the program has to create them. Refusal `too_many_inputs`.
 */
export async function programInputs(context: CallContext, asked: InputsRequest): Promise<Inputs> {
  const { view, turn } = context;
  const own = view.turns.findLast(({ id }) => id === turn);
  const { inputs, tooLarge } = ownInputs(own ? filesOf(own) : [], asked);
  for (const path of view.pulled) {
    const input = await pulledInput(path, context);
    if (input) inputs.set(input.filepath, input);
  }
  if (inputs.size > inputsMax) {
    const message = `A program can have at most ${inputsMax} input files; this one would have ${inputs.size}.`;
    throw new Refusal('too_many_inputs', message);
  }
  return { inputs: [...inputs.values()], tooLarge };
}

/** Copies take at most half of the workspace. Larger files are omitted; the program can fetch them. */
function ownInputs(files: readonly TurnFile[], { contract, limits }: InputsRequest) {
  const owed = new Set(contract.map(({ filepath }) => filepath));
  const inputs = new Map<string, InputFile>();
  const tooLarge: string[] = [];
  let room = (limits.workspaceMb * mebibyte) / 2;
  for (const { path, local, blob } of files) {
    if (local.startsWith('outputs/') && owed.has(local)) continue;
    const writable = !local.startsWith('attachments/');
    const fits = !writable || blob.size <= Math.min(room, limits.fileMb * mebibyte);
    if (!fits) tooLarge.push(path);
    else inputs.set(local, { filepath: local, blob, writable });
    if (fits && writable) room -= blob.size;
  }
  return { inputs, tooLarge };
}

const mebibyte = 1024 * 1024;

/** The folders in which a program will find pulled files of other turns. They are known before the program is written. */
export function pulledFolders({
  view,
  turn,
}: Pick<CallContext, 'view' | 'turn'>): readonly string[] {
  const names = [...view.pulled].flatMap((path) => pulledPath(path, view)?.split('/', 1) ?? []);
  const own = shortNames(view).turn(turn);
  return [...new Set(names)].filter((name) => name !== own);
}

async function pulledInput(
  path: string,
  { services, turn, view }: CallContext,
): Promise<InputFile | undefined> {
  const filepath = pulledPath(path, view);
  const own = shortNames(view).turn(turn);
  if (filepath === undefined || filepath.startsWith(`${own}/`)) return undefined;
  const resolved = await services.read(path);
  return resolved?.blob && { filepath, blob: resolved.blob, writable: false };
}
