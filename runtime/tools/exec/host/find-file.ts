import { Refusal } from '../../../base/refusal.ts';
import { parsePath } from '../../../timeline/paths.ts';
import { fileName } from '../../files/file-path.ts';
import type { TurnServices } from '../../ports/call-services.ts';
import type { ReadableFile } from '../../ports/sandbox.ts';

/**
 * The file for `ctx_tools.fetch_file`: a file that the user may read, or the return value of a call if it is stored as a
 * file. Refusals `invalid_path`, `not_found`, `not_a_file`.
 */
export async function findFile(
  path: string,
  services: Pick<TurnServices, 'read'>,
): Promise<ReadableFile> {
  const shown = path.slice(0, 200);
  const family = parsePath(path)?.family;
  if (family !== 'fi' && family !== 'tc')
    throw new Refusal('invalid_path', `“${shown}” does not name a file; use fi:… or tc:….result.`);
  const found = await services.read(path);
  if (found === undefined) throw new Refusal('not_found', `Nothing is at ${shown}.`);
  if (found.blob === undefined) throw new Refusal('not_a_file', `${shown} ${notAFile[family]}`);
  return { filename: family === 'tc' ? 'result.json' : fileName(found.path), blob: found.blob };
}

const notAFile = {
  fi: 'is the text of a program; react.read returns it. Programs share files in files/.',
  tc: 'is not a file; fetch_ctx returns the value of a call.',
} as const;
