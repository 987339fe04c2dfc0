import { relative, resolve } from 'node:path';
import type { Message } from 'esbuild';

/** `file:line:column: text` of each build error, files from the bundle's folder. */
export function messagesOf(cause: unknown, dir: string): readonly string[] | undefined {
  if (typeof cause !== 'object' || cause === null || !('errors' in cause)) return undefined;
  const errors: readonly Message[] = Array.isArray(cause.errors) ? cause.errors : [];
  const lines = errors.map(({ text, location }) =>
    location
      ? `${placeOf(location.file, dir)}:${location.line}:${location.column + 1}: ${text}`
      : text,
  );
  return lines.length > 0 ? lines : undefined;
}

function placeOf(file: string, dir: string): string {
  const path = relative(dir, resolve(file));
  return path.startsWith('..') ? file : path;
}
