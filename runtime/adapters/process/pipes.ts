import { constants, open as openFd } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { SandboxHelper } from './helper.ts';

export type Pipe = { readonly read: Readable; readonly write: FileHandle };

const openRaw = promisify(openFd);

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
  const pipes = [await openPipe(paths[0]), await openPipe(paths[1])] as const;
  await Promise.all(paths.map((path) => rm(path)));
  return pipes;
}

async function openPipe(path: string): Promise<Pipe> {
  // A bare descriptor that the socket owns; a FileHandle would close it when garbage-collected.
  const fd = await openRaw(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = await open(path, constants.O_WRONLY);
  return { read: new Socket({ fd, readable: true, writable: false }), write };
}
