import { isRefusal, Refusal } from '../../base/refusal.ts';
import { toTurnFile } from '../file-path.ts';

export type ArtifactPath = {
  /** `outputs/…` or `files/…` of this turn. */
  readonly filepath: string;
  /** It was spelled as something else, and this is how it was understood. */
  readonly rewritten: boolean;
};

type Codes = { readonly foreign: string; readonly namespace: string };

/** Where a text goes. Refusals `missing_artifact_name`, `unsafe_path`, and of `codes` for what is somebody else's. */
export function artifactPath(path: string, turn: string, codes: Codes): ArtifactPath {
  const plain = path.trim();
  try {
    const filepath = toTurnFile(plain, { turn, bare: 'outputs' });
    return { filepath, rewritten: plain !== filepath && !plain.endsWith(`${turn}.${filepath}`) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Refusal(codeFor(plain, codes), error.message, { retryable: true });
  }
}

function codeFor(path: string, { foreign, namespace }: Codes): string {
  const bare = path.replace(/^conv:/, '');
  if (/^(fi:)?([^.:/\s]+\.)?turn_/.test(bare) || /^(attachments|user\.)/.test(bare)) return foreign;
  if (/^\w{1,5}:/.test(bare)) return namespace;
  const place = /^(outputs|files)?\/?$/.test(bare) || bare.endsWith('/');
  return place && !/(^|\/)\.\.?(\/|$)/.test(bare) && !bare.startsWith('/')
    ? 'missing_artifact_name'
    : 'unsafe_path';
}
