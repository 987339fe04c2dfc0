import type { Step, TextPart } from './steps.ts';

/** Text that clients have and that no block has confirmed. */
type OpenItem = {
  readonly id: string;
  /** What was sent. */
  readonly shown: string;
  /** The stream that continues it. Undefined: its stream was reset, and another one may write the same text again. */
  readonly stream: string | undefined;
};

type Piece = { readonly stream: string; readonly offset: number; readonly text: string };

/**
 * Turns streams and the blocks made of them into text that only grows. A protocol that has sent a text cannot change it, so
 * a stream that starts over is held back while it repeats what clients have. If it says something else, the item is
 * withdrawn and another one begins.
 */
export class AnswerText {
  readonly #part: TextPart;
  readonly #finished = new Set<string>();
  #items = 0;
  #open: OpenItem | undefined;
  /** The text of a stream that repeats a reset one, from its beginning. */
  #again = { stream: '', text: '' };

  constructor(part: TextPart) {
    this.#part = part;
  }

  /** A piece of a stream. What overlaps is skipped, and after a gap the block completes the text. */
  delta(piece: Piece): readonly Step[] {
    const { stream } = piece;
    if (this.#finished.has(stream)) return [];
    if (this.#open?.stream === stream) {
      const { shown } = this.#open;
      return this.#extend(this.#open, shown + newPart(shown, piece), stream);
    }
    const before = this.#again.stream === stream ? this.#again.text : '';
    const text = before + newPart(before, piece);
    this.#again = { stream, text };
    return this.#reconcile(text, stream);
  }

  /** The stream brings nothing more, or starts over. */
  reset(stream: string): void {
    if (this.#open?.stream === stream) this.#open = { ...this.#open, stream: undefined };
    if (this.#again.stream === stream) this.#again = { stream: '', text: '' };
  }

  /** The block made from a stream: its text is the whole text. */
  complete(stream: string, text: string): readonly Step[] {
    if (this.#finished.has(stream)) return [];
    if (stream !== '') this.#finished.add(stream);
    const isSame = this.#open !== undefined && this.#open.shown.trimEnd() === text.trimEnd();
    const steps = isSame ? [] : this.#settle(text, stream);
    return [...steps, ...this.#end(text)];
  }

  /** The turn is over. `kept`: a text that was cut off stays as far as it was written. */
  close({ kept }: { readonly kept: boolean }): readonly Step[] {
    if (!this.#open) return [];
    return kept && this.#open.stream !== undefined ? this.#end(this.#open.shown) : this.#withdraw();
  }

  #reconcile(text: string, stream: string): readonly Step[] {
    const open = this.#open;
    if (!open) return text === '' ? [] : this.#begin(text, stream);
    // It repeats what clients have.
    if (open.shown.startsWith(text)) return [];
    return this.#settle(text, stream);
  }

  #settle(text: string, stream: string): readonly Step[] {
    const open = this.#open;
    if (open && text.startsWith(open.shown)) return this.#extend(open, text, stream);
    return [...this.#withdraw(), ...this.#begin(text, stream)];
  }

  #begin(text: string, stream: string): readonly Step[] {
    this.#items += 1;
    return this.#extend({ id: `${this.#part}_${this.#items}`, shown: '', stream }, text, stream);
  }

  #extend(open: OpenItem, shown: string, stream: string): readonly Step[] {
    this.#open = { id: open.id, shown, stream };
    const text = shown.slice(open.shown.length);
    return text === '' ? [] : [{ kind: 'text', part: this.#part, item: open.id, text }];
  }

  #withdraw(): readonly Step[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ kind: 'withdrawn', part: this.#part, item: open.id }] : [];
  }

  #end(text: string): readonly Step[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ kind: 'text_end', part: this.#part, item: open.id, text }] : [];
  }
}

function newPart(known: string, { offset, text }: Piece): string {
  return offset > known.length ? '' : text.slice(known.length - offset);
}
