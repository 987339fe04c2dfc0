import { closeSync, constants, openSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SandboxHelper } from './helper.ts';

/** The end to write is a bare descriptor, to be handed over and closed. */
export type Pipe = { readonly read: Readable; readonly write: number };

/**
 * Opens real pipes. Node's pipes are sockets, and a program that opens /dev/stdout needs a real pipe. They are created
 * as fifos, because Node offers no other way, and unlinked at once.
 */
export async function openPipes(
  folder: string,
  { uid, helper }: { uid: number; helper: SandboxHelper },
): Promise<readonly [Pipe, Pipe]> {
  const paths = [join(folder, 'stdout'), join(folder, 'stderr')] as const;
  await helper.request('fifos', { paths, uid });
  const pipes = [openPipe(paths[0]), openPipe(paths[1])] as const;
  await Promise.all(paths.map((path) => unlink(path)));
  return pipes;
}

/** At once: neither end waits for the other. */
function openPipe(path: string): Pipe {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const read = new Socket({ fd, readable: true, writable: false });
  try {
    return { read, write: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    read.destroy();
    throw error;
  }
}

export function closePipes(pipes: readonly Pipe[]): void {
  for (const { write } of pipes) closeSync(write);
}
