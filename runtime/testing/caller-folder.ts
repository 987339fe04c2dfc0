import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the file that called the testing kit, because a test is in the folder of its bundle. */
export function callerFolder(): string {
  return folderBehind(new Error('where').stack ?? '') ?? process.cwd();
}

/**
 * The first folder of a stack that is not the folder of its first frame, which is the kit's. `import.meta.url` would be
 * wrong: with source maps, frames of a linked package name its sources, while the module names its build.
 */
export function folderBehind(stack: string): string | undefined {
  const [here, ...callers] = stack
    .split('\n')
    .map(folderOf)
    .filter((folder) => folder !== undefined);
  return callers.find((folder) => folder !== here);
}

function folderOf(frame: string): string | undefined {
  const place = /[\s(]((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):\d+:\d+\)?$/.exec(frame.trim())?.[1];
  if (place === undefined) return undefined;
  return dirname(place.startsWith('file://') ? fileURLToPath(place) : place);
}
