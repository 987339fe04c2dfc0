import { createHash } from 'node:crypto';
import { readBytes } from '../../runtime/base/bytes/read-bytes.ts';
import type { BlobRef } from '../../runtime/timeline/block.ts';
import type { FileRetention, OutputFile } from '../cell/cell.ts';
import { comparedBytesMax, keptFilesMax } from './limits.ts';

type Options = {
  /** Files that the program was given in its workspace, by path. */
  readonly given: ReadonlyMap<string, BlobRef>;
  readonly put: (bytes: AsyncIterable<Uint8Array>) => Promise<BlobRef>;
};

/**
 * Files that a program leaves in `files/` are its workspace and are kept without a contract: all files that it was given,
 * and up to `keptFilesMax` more. Unchanged files are not stored again.
 */
export function workspaceRetention({ given, put }: Options): FileRetention {
  let more = 0;
  return {
    keeps: ({ path }) => {
      const local = withoutTurnName(path);
      if (!local.startsWith('files/') || local.startsWith('files/tmp/')) return false;
      if (given.has(local)) return true;
      more += 1;
      return more <= keptFilesMax;
    },
    put: async (file, bytes) => {
      const known = given.get(withoutTurnName(file.path));
      return known && mayBeSame(known, file) ? putUnlessSame(known, bytes, put) : put(bytes);
    },
  };
}

/** A program may prefix paths with the name of its turn. Only files of its own turn are searched for. */
export function withoutTurnName(path: string): string {
  return path.replace(/^(?:(?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\//, '');
}

function mayBeSame(known: BlobRef, { size }: OutputFile): boolean {
  return known.size === size && size <= comparedBytesMax;
}

async function putUnlessSame(
  known: BlobRef,
  bytes: AsyncIterable<Uint8Array>,
  put: Options['put'],
): Promise<BlobRef> {
  // The program may still write: the file can have grown since its size was read.
  const whole = await readBytes(bytes, { bytesMax: comparedBytesMax, what: 'the file' });
  const hash = createHash('sha256').update(whole).digest('hex');
  return known.hash === `sha256:${hash}` ? known : put(toStream(whole));
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
