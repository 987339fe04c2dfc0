import { formatPath, parsePath } from '../../../../timeline/paths.ts';

/** The address of a file as a resource: its path, which names its conversation. */
export function fileUri(path: string, conversation: string): string {
  const parsed = parsePath(path);
  if (parsed === undefined || 'name' in parsed) return encodePath(path);
  return encodePath(formatPath({ ...parsed, conversation }));
}

/** A path in a form that is valid as a URI. */
export function encodePath(given: string): string {
  // Half of a character cannot be encoded.
  const path = given.toWellFormed();
  const colon = path.indexOf(':') + 1;
  const parts = path.slice(colon).split('/').map(encodeURIComponent);
  return `${path.slice(0, colon)}${parts.join('/')}`;
}

/** Undefined: not a URI that this server has made. */
export function decodePath(uri: string): string | undefined {
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined;
  }
}
