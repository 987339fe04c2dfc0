import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seccompFilter } from '../../../supervisor/seccomp/filter.ts';
import type { SandboxHelper } from './helper.ts';

/**
 * What is made of the executor's files when the first sandbox opens: the compiled Python, which each sandbox would compile
 * itself, and the filter that bwrap reads.
 */
export class ExecutorFiles {
  readonly #folder: string;
  readonly #helper: SandboxHelper;
  #made: Promise<string> | undefined;

  constructor(folder: string, helper: SandboxHelper) {
    this.#folder = folder;
    this.#helper = helper;
  }

  /** Path of the filter, when everything has been made. Fault `EXEC_FAILED`; the next call tries again. */
  async ready(): Promise<string> {
    this.#made ??= this.#make();
    const made = this.#made;
    try {
      const filter = await made;
      // Else something has cleaned the folder, which its owner has filled again.
      if (existsSync(filter)) return filter;
    } catch (error) {
      this.#forget(made);
      throw error;
    }
    this.#forget(made);
    return this.ready();
  }

  #forget(made: Promise<string>): void {
    if (this.#made === made) this.#made = undefined;
  }

  async #make(): Promise<string> {
    const filter = join(this.#folder, 'filter');
    await writeFile(filter, seccompFilter(), { mode: 0o644 });
    await this.#helper.request('compiled', { folder: this.#folder });
    return filter;
  }
}
