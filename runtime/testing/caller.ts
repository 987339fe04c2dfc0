import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the file that called into the testing kit: a test stands beside its bundle. */
export function callerFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const frames = (new Error('where').stack ?? '').split('\n').slice(1);
  const file = frames.map(fileOf).find((path) => path !== undefined && dirname(path) !== here);
  return file === undefined ? process.cwd() : dirname(file);
}

function fileOf(frame: string): string | undefined {
  const place = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):\d+:\d+\)?$/.exec(frame.trim())?.[1];
  return place?.startsWith('file://') ? fileURLToPath(place) : place;
}
