import { closeSync, openSync, readSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { infoBytesMax } from './limits.ts';

/**
 * What bwrap writes about its sandbox before the first process of it goes on. A file, not a pipe: bwrap writes it in pieces, each
 * of which would wake the worker.
 */
export class InfoFile implements Disposable {
  readonly fd: number;
  #pid: number | undefined;
  #open = true;

  constructor(fd: number) {
    this.fd = fd;
  }

  /** Host pid of the sandbox's PID 1; undefined if bwrap has not reported one. */
  get pid(): number | undefined {
    if (this.#pid === undefined && this.#open) this.#pid = pidIn(this.#text());
    return this.#pid;
  }

  #text(): string {
    const bytes = Buffer.alloc(infoBytesMax);
    return bytes.toString('latin1', 0, readSync(this.fd, bytes, 0, infoBytesMax, 0));
  }

  [Symbol.dispose](): void {
    if (this.#open) closeSync(this.fd);
    this.#open = false;
  }
}

/** Opens it in this folder, where nothing remains of it. */
export async function openInfoFile(folder: string): Promise<InfoFile> {
  const path = join(folder, 'info');
  const info = new InfoFile(openSync(path, 'wx+', 0o600));
  await unlink(path);
  return info;
}

export function pidIn(info: string): number | undefined {
  const pid = Number(/"child-pid":\s*(\d+)/.exec(info)?.[1] ?? 0);
  return pid > 1 ? pid : undefined;
}
