import { readFile, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { mimeOf } from '../../tools/files/mime.ts';

/** Extensions of files that a widget may load. */
const served = new Set(
  '.html .css .js .mjs .json .map .svg .png .jpg .webp .gif .ico .woff2 .wasm'.split(' '),
);

export type StaticFile = { readonly bytes: Uint8Array<ArrayBuffer>; readonly mime: string };

/** A file inside a folder; links are followed only if they stay inside. Undefined: the file does not exist. */
export async function readStatic(folder: string, path: string): Promise<StaticFile | undefined> {
  if (!served.has(extname(path).toLowerCase()) || path.includes('\0')) return undefined;
  const mime = mimeOf(path);
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) return undefined;
    return {
      bytes: new Uint8Array(await readFile(file)),
      mime: mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const codes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
