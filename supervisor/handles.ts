import { extname } from 'node:path';
import { FewAtOnce } from '../runtime/base/few-at-once.ts';
import { Refusal } from '../runtime/base/refusal.ts';
import { grouped } from '../runtime/tools/cut.ts';
import type { ExecHost, FoundFile } from '../runtime/tools/sandbox.ts';
import type { CallHost } from './calls.ts';
import type { Cell } from './cell.ts';
import {
  mountedBytesMax,
  mountedFileBytesMax,
  mountedFilesMax,
  mountedNameBytesMax,
  mountsInFlightMax,
} from './execution-limits.ts';
import { sandboxPaths } from './launch.ts';

/** What a program is answered: by its host, and for files by its cell as well. */
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
 * The files that one program asks for while it runs. Its host says what is at a path, its cell puts the bytes where it
 * can read them and not write, and it is told where: nothing of a file goes through frames or is held in memory.
 */
export class FileMounts {
  readonly #parts: Parts;
  readonly #few = new FewAtOnce(mountsInFlightMax);
  /** By content and name. */
  readonly #known = new Map<string, Promise<string>>();
  #files = 0;
  #bytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Where the program opens it. Refusals of the host, `file_too_large`, `too_many_files`; Faults of the cell. */
  async mount(path: string, { signal }: { signal: AbortSignal }): Promise<string> {
    const file = await this.#parts.host.findFile(path, { signal });
    const key = `${file.blob.hash} ${file.filename}`;
    const known = this.#known.get(key);
    if (known) return known;
    this.#admit(file);
    const handed = this.#mount(file, signal);
    this.#known.set(key, handed);
    // It may be asked for again.
    handed.catch(() => this.#known.delete(key));
    return handed;
  }

  /** What was tried counts, whatever came of it: part of it may be there. */
  #admit({ blob: { size } }: FoundFile): void {
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

  async #mount({ filename, blob }: FoundFile, signal: AbortSignal): Promise<string> {
    const { cell, tenant } = this.#parts;
    // A number of its own: two files may have the same name.
    const name = `${this.#files}/${toName(filename)}`;
    await this.#few.do(() => cell.mountFile({ name, tenant, blob }, { signal }));
    return `${sandboxPaths.mounted}/${name}`;
  }
}

/** As its maker called it, for whoever goes by the extension; else that alone. */
function toName(filename: string): string {
  const isPlain = !/[/\0]/.test(filename) && !['', '.', '..'].includes(filename);
  if (isPlain && Buffer.byteLength(filename) <= mountedNameBytesMax) return filename;
  return `file${/^\.\w{1,10}$/.exec(extname(filename))?.[0] ?? ''}`;
}
