import { extname } from 'node:path';
import { Refusal } from '../../runtime/base/refusal.ts';
import { Semaphore } from '../../runtime/base/semaphore.ts';
import type { ExecHost, ReadableFile } from '../../runtime/tools/ports/sandbox.ts';
import { grouped } from '../../runtime/tools/text/cut-text.ts';
import type { Cell } from '../cell/cell.ts';
import { sandboxPaths } from '../cell/launcher-argv.ts';
import type { CallHost } from '../connection/calls.ts';
import {
  mountedBytesMax,
  mountedFileBytesMax,
  mountedFilesMax,
  mountedNameBytesMax,
  mountsInFlightMax,
} from './limits.ts';

/** Answers a program's calls: by its host, and for files also by its cell. */
export function toCallHost(host: ExecHost, place: Omit<Parts, 'host'>): CallHost {
  const handles = new FileMounts({ ...place, host });
  return {
    callTool: (call, options) => host.callTool(call, options),
    fetchContext: (path, options) => host.fetchContext(path, options),
    fetchFile: async (path, options) => ({ ok: true, ret: await handles.mount(path, options) }),
  };
}

type Parts = {
  readonly cell: Pick<Cell, 'mountFile'>;
  readonly host: Pick<ExecHost, 'findFile'>;
  readonly tenant: string;
};

/**
 * The files that one program requests while it runs. Its host resolves a path, its cell puts the bytes where the program can
 * read but not write them, and the program gets that location. No file passes through frames or is held in memory.
 */
export class FileMounts {
  readonly #parts: Parts;
  readonly #few = new Semaphore(mountsInFlightMax);
  /** Paths by content and name. */
  readonly #known = new Map<string, Promise<string>>();
  #files = 0;
  #bytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the path where the program can open the file. Refusals of the host, `file_too_large`, `too_many_files`; Faults of the cell. */
  async mount(path: string, { signal }: { signal: AbortSignal }): Promise<string> {
    const file = await this.#parts.host.findFile(path, { signal });
    const key = `${file.blob.hash} ${file.filename}`;
    const known = this.#known.get(key);
    if (known) return known;
    this.#admit(file);
    const handed = this.#mount(file, signal);
    this.#known.set(key, handed);
    // After a failure the file can be requested again.
    handed.catch(() => this.#known.delete(key));
    return handed;
  }

  /** Failed attempts count too, because a part of the file may exist. */
  #admit({ blob: { size } }: ReadableFile): void {
    if (size > mountedFileBytesMax) {
      const message = `the file has ${grouped(size)} bytes; a program can open ${grouped(mountedFileBytesMax)}`;
      throw new Refusal('file_too_large', message);
    }
    if (this.#files >= mountedFilesMax || this.#bytes + size > mountedBytesMax) {
      const message = `a program can ask for ${mountedFilesMax} files and ${grouped(mountedBytesMax)} bytes in all`;
      throw new Refusal('too_many_files', message);
    }
    this.#files += 1;
    this.#bytes += size;
  }

  async #mount({ filename, blob }: ReadableFile, signal: AbortSignal): Promise<string> {
    const { cell, tenant } = this.#parts;
    // A separate number, because two files may have the same name.
    const name = `${this.#files}/${toName(filename)}`;
    await this.#few.run(() => cell.mountFile({ name, tenant, blob }, { signal }));
    return `${sandboxPaths.mounted}/${name}`;
  }
}

/** The original name, because programs use the extension; if it is not usable, only the extension. */
function toName(filename: string): string {
  const isPlain = !/[/\0]/.test(filename) && !['', '.', '..'].includes(filename);
  if (isPlain && Buffer.byteLength(filename) <= mountedNameBytesMax) return filename;
  return `file${/^\.\w{1,10}$/.exec(extname(filename))?.[0] ?? ''}`;
}
