import { Refusal } from '../../../base/refusal.ts';
import { parsePath } from '../../../timeline/paths.ts';
import { fileName } from '../../files/file-path.ts';
import type { TurnServices } from '../../ports/call-services.ts';
import type { ReadableFile } from '../../ports/sandbox.ts';

/**
 * What `ctx_tools.fetch_file` asks for: a file that the user may read, or what a call returned if that is kept as one.
 * Refusals `invalid_path`, `not_found`, `not_a_file`.
 */
export async function findFile(
  path: string,
  services: Pick<TurnServices, 'read'>,
): Promise<ReadableFile> {
  const shown = path.slice(0, 200);
  const family = parsePath(path)?.family;
  if (family !== 'fi' && family !== 'tc')
    throw new Refusal('invalid_path', `“${shown}” names no file: fi:… does, or tc:….result.`);
  const found = await services.read(path);
  if (found === undefined) throw new Refusal('not_found', `Nothing is at ${shown}.`);
  if (found.blob === undefined) throw new Refusal('not_a_file', `${shown} ${notAFile[family]}`);
  return { filename: family === 'tc' ? 'result.json' : fileName(found.path), blob: found.blob };
}

const notAFile = {
  fi: 'is the text of a program, which react.read gives; what programs share they keep in files/.',
  tc: 'is no file; fetch_ctx gives what a call returned.',
} as const;
