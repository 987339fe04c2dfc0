import { isRefusal, Refusal } from '../../../base/refusal.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { toTurnFilePath, turnNames } from '../../files/file-path.ts';
import type { CallContext } from '../../ports/tool.ts';

export type ArtifactPath = {
  /** `outputs/…` or `files/…` of this turn. */
  readonly filepath: string;
  /** The path was spelled differently and has been normalised. */
  readonly rewritten: boolean;
};

type Codes = { readonly foreign: string; readonly namespace: string };

/** The path a text is written to. Refusals `missing_artifact_name`, `unsafe_path`, and one of `codes` for paths outside this turn. */
export function artifactPath(
  path: string,
  { turn, view }: Pick<CallContext, 'turn' | 'view'>,
  codes: Codes,
): ArtifactPath {
  const plain = path.trim();
  const names = { turn, turnName: shortNames(view).turn(turn) };
  try {
    const filepath = toTurnFilePath(plain, { ...names, bare: 'outputs' });
    const whole = turnNames(names).some((name) => plain.endsWith(`${name}.${filepath}`));
    return { filepath, rewritten: plain !== filepath && !whole };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Refusal(codeFor(plain, codes), error.message);
  }
}

function codeFor(path: string, { foreign, namespace }: Codes): string {
  const bare = path.replace(/^conv:/, '');
  if (
    /^(fi:)?([^.:/\s]+\.)?(turn_|t[1-9]\d{0,5}[./])/.test(bare) ||
    /^(attachments|user\.)/.test(bare)
  )
    return foreign;
  if (/^\w{1,5}:/.test(bare)) return namespace;
  const place = /^(outputs|files)?\/?$/.test(bare) || bare.endsWith('/');
  return place && !/(^|\/)\.\.?(\/|$)/.test(bare) && !bare.startsWith('/')
    ? 'missing_artifact_name'
    : 'unsafe_path';
}
