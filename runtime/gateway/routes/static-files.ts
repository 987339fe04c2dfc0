import { readFile, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

const mimes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.map': 'application/json',
};

export type StaticFile = { readonly bytes: Uint8Array<ArrayBuffer>; readonly mime: string };

/** A file inside a folder; links are followed only if they stay inside. Undefined: there is no such file. */
export async function readStatic(folder: string, path: string): Promise<StaticFile | undefined> {
  const mime = mimes[extname(path).toLowerCase()];
  if (mime === undefined || path.includes('\0')) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) return undefined;
    return { bytes: new Uint8Array(await readFile(file)), mime };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const codes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
