import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Log } from '../../base/log.ts';
import type { Frame } from '../../engine/ports/bus.ts';
import { parseFrames } from '../../engine/ports/frames.ts';
import { frameFileBytesKept, frameFileBytesMax, waitingBytesMax } from './limits.ts';

/**
 * The frames of one conversation in one file, one line per batch. A line starts with its line break, so that a line cut
 * short by a crash does not corrupt the next one. Written without sync: it survives a process crash, but not power loss.
 * The file stays open from its first write until it is closed.
 */
export class FrameFile {
  readonly #path: string;
  readonly #log: Log;
  #waiting: string[] = [];
  #waitingChars = 0;
  #writing: Promise<void> | undefined;
  #handle: FileHandle | undefined;
  #size = 0;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Whether everything is written. */
  get idle(): boolean {
    return this.#writing === undefined;
  }

  add(frames: readonly Frame[]): void {
    const line = `\n${JSON.stringify(frames)}`;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    while (this.#waitingChars > waitingBytesMax) {
      this.#waitingChars -= this.#waiting.shift()?.length ?? 0;
    }
    this.#writing ??= this.#write();
  }

  async written(): Promise<void> {
    await this.#writing;
  }

  async read(): Promise<readonly Frame[]> {
    await this.written();
    const text = await readFile(this.#path, 'utf8').catch(absentAs(''));
    return text.split('\n').flatMap(parseFrames);
  }

  async close(): Promise<void> {
    await this.written();
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.#path, { force: true });
  }

  /** Frames that arrive during a write go into the next one: a slow disk makes larger batches, not longer queues. */
  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.join('');
        this.#waiting = [];
        this.#waitingChars = 0;
        this.#handle ??= await this.#open();
        const { bytesWritten } = await this.#handle.write(lines);
        this.#size += bytesWritten;
        if (this.#size > frameFileBytesMax) await this.#cut();
      }
    } catch (error) {
      // Frames may be lost at any time; the conversation's log has their content.
      this.#log.warn('frames not written', { path: this.#path, error });
      this.#waiting = [];
      this.#waitingChars = 0;
      await this.#handle?.close().catch(() => undefined);
      this.#handle = undefined;
    } finally {
      this.#writing = undefined;
    }
  }

  async #open(): Promise<FileHandle> {
    const handle = await open(this.#path, 'a');
    this.#size = (await handle.stat()).size;
    return handle;
  }

  async #cut(): Promise<void> {
    const lines = (await readFile(this.#path, 'utf8')).split('\n');
    const kept = newest(lines);
    await writeFile(`${this.#path}.cut`, kept.map((line) => `\n${line}`).join(''));
    await rename(`${this.#path}.cut`, this.#path);
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/** The last lines within the limit, starting at a turn; if one turn exceeds the limit, its last lines. */
function newest(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  const from = lines.findLastIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > frameFileBytesKept;
  });
  const kept = lines.slice(from + 1);
  const torn = turnOf(lines[from]);
  const whole = kept.findIndex((line) => turnOf(line) !== torn);
  return whole < 0 ? kept : kept.slice(whole);
}

function turnOf(line: string | undefined): string | undefined {
  return line === undefined ? undefined : parseFrames(line)[0]?.turn;
}

function absentAs<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
