import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Refusal } from '../../../base/refusal.ts';
import type { Client } from '../../../client/api/client.ts';
import type { Attachment } from '../../../client/api/types.ts';
import type { FileRef } from '../../../client/api/values.ts';
import { mimeOf } from '../../../tools/files/mime.ts';
import { grouped } from '../../../tools/text/cut-text.ts';

/** Files that the agent has delivered, and those that the next message will carry. */
export class ChatFiles {
  readonly #client: Client;
  /** By path: the newest version. */
  readonly #delivered = new Map<string, FileRef>();
  #attached: readonly Attachment[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /** One line for each new file, with the number for `save`. */
  add(files: readonly FileRef[]): readonly string[] {
    for (const file of files) this.#delivered.set(file.path, file);
    const paths = [...this.#delivered.keys()];
    return files.map((file) => line(paths.indexOf(file.path) + 1, file));
  }

  list(): string {
    const files = [...this.#delivered.values()];
    const lines = files.map((file, index) => line(index + 1, file));
    return lines.length === 0 ? 'no files yet' : [...lines, '/save N saves one'].join('\n');
  }

  /** @throws Refusal `not_found` */
  async attach(path: string): Promise<string> {
    const source = resolve(path);
    const data = await readFile(source).catch((error: Error) => {
      throw new Refusal('not_found', `${path} cannot be read: ${error.message}`);
    });
    const name = basename(source);
    this.#attached = [...this.#attached, { name, mime: mimeOf(name), data: new Uint8Array(data) }];
    return `${name}, ${grouped(data.byteLength)} bytes, goes with the next message`;
  }

  take(): readonly Attachment[] {
    const taken = this.#attached;
    this.#attached = [];
    return taken;
  }

  /** Files of a message that was not accepted. */
  giveBack(files: readonly Attachment[]): void {
    this.#attached = [...files, ...this.#attached];
  }

  /** @throws Refusal `not_found`, `not_saved` */
  async save({ file, target }: { file: string; target: string | undefined }): Promise<string> {
    const known = [...this.#delivered.values()][Number(file) - 1];
    if (!known) throw new Refusal('not_found', `file ${file} does not exist; /files lists them`);
    const path = resolve(target ?? basename(known.filename));
    const response = await this.#client.fetch(known.path);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Never over an existing file.
    await writeFile(path, bytes, { flag: 'wx' }).catch((error: Error) => {
      const hint = `choose another place with /save ${file} PATH`;
      throw new Refusal('not_saved', `${path} was not saved: ${error.message}; ${hint}`);
    });
    return `saved as ${path}`;
  }
}

function line(number: number, { filename, size, path }: FileRef): string {
  return `${number}  ${filename}, ${grouped(size)} bytes  ${path}`;
}
