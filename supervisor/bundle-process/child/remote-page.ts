import { canvasCharsMax } from '../../../runtime/tools/limits.ts';
import type { CanvasWriter } from '../../../runtime/tools/ports/call-services.ts';

type Send = { write(text: string): void; close(): void };

/** A page that gathers its pieces until the tool pauses, so that many small writes become few messages. */
export class RemotePage implements CanvasWriter {
  readonly #send: Send;
  #pending = '';
  /** One more than a page can hold, so that the worker detects that it was too much. */
  #left = canvasCharsMax + 1;
  #timer: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(send: Send) {
    this.#send = send;
  }

  write(text: string): void {
    if (this.#closed) return;
    const taken = text.slice(0, this.#left);
    this.#left -= taken.length;
    this.#pending += taken;
    this.#timer ??= setImmediate(() => this.flush());
  }

  flush(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    const text = this.#pending;
    this.#pending = '';
    if (text !== '') this.#send.write(text);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#send.close();
  }
}
