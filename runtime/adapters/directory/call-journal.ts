import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallJournal, Intent } from '../../tools/exec/call-journal.ts';

const Line = z.object({
  program: z.string(),
  id: z.string(),
  tool: z.string(),
  key: z.string(),
  effects: z.enum(['none', 'keyed', 'unkeyed']),
  settled: z.literal(true).optional(),
});

/**
 * One file for each program that runs, a line for each word. What is intended at the same time is
 * made durable by one sync. A line that a crash cut short was never waited for.
 */
export async function openDirectoryCallJournal(dir: string): Promise<CallJournal> {
  await mkdir(dir, { recursive: true });
  return new DirectoryCallJournal(dir);
}

class DirectoryCallJournal implements CallJournal {
  readonly #dir: string;
  readonly #files = new Map<string, ProgramFile>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async intend(intent: Intent): Promise<void> {
    await this.#file(intent.program).write(intent);
  }

  settle(intent: Intent): void {
    this.#file(intent.program).add({ ...intent, settled: true });
  }

  async unsettled(program: string): Promise<readonly Intent[]> {
    await this.#files.get(program)?.flush();
    const text = await readFile(this.#path(program), 'utf8').catch(emptyIfMissing);
    const open = new Map<string, Intent>();
    for (const line of text.split('\n').slice(0, -1)) {
      const { settled, ...intent } = Line.parse(JSON.parse(line));
      if (settled) open.delete(intent.id);
      else open.set(intent.id, intent);
    }
    return [...open.values()];
  }

  async forget(program: string): Promise<void> {
    const file = this.#files.get(program);
    this.#files.delete(program);
    await file?.close();
    await rm(this.#path(program), { force: true });
  }

  #file(program: string): ProgramFile {
    const file = this.#files.get(program) ?? new ProgramFile(this.#path(program));
    this.#files.set(program, file);
    return file;
  }

  #path(program: string): string {
    return join(this.#dir, `${encodeURIComponent(program)}.jsonl`);
  }
}

/** Appends in the order of the words; every word waits for the sync that follows it. */
class ProgramFile {
  readonly #handle: Promise<FileHandle>;
  #lines: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#handle = open(path, 'a');
    // Whoever writes hears of it.
    this.#handle.catch(() => undefined);
  }

  add(word: object): void {
    this.#lines.push(`${JSON.stringify(word)}\n`);
  }

  async write(word: object): Promise<void> {
    this.add(word);
    await this.flush();
  }

  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#commit());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#writing;
    await (await this.#handle).close();
  }

  /** The first of those who wait together writes for all of them. */
  async #commit(): Promise<void> {
    const lines = this.#lines.splice(0).join('');
    if (lines === '') return;
    const handle = await this.#handle;
    await handle.appendFile(lines);
    await handle.datasync();
  }
}

function emptyIfMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}
