import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';

const open = '<think>';
const close = '</think>';

/**
 * Reasoning that a local server leaves in the text, because it runs without a parser for its model: `<think>…</think>` at
 * the start of a reply. Tags elsewhere are text.
 */
export class ThinkTags {
  #where: 'start' | 'inside' | 'after' = 'start';
  #held = '';

  push(text: string): readonly ReplyPiece[] {
    this.#held += text;
    switch (this.#where) {
      case 'start':
        return this.#start();
      case 'inside':
        return this.#inside();
      case 'after':
        return this.end();
    }
  }

  /** No more text will come. */
  end(): readonly ReplyPiece[] {
    const text = this.#held;
    this.#held = '';
    return piece(this.#where === 'inside' ? 'reasoning' : 'text', text);
  }

  #start(): readonly ReplyPiece[] {
    const begun = this.#held.trimStart();
    if (begun.length < open.length && open.startsWith(begun)) return [];
    if (!begun.startsWith(open)) {
      this.#where = 'after';
      return this.end();
    }
    this.#where = 'inside';
    this.#held = begun.slice(open.length);
    return this.#inside();
  }

  /** Holds back only what may become the closing tag. */
  #inside(): readonly ReplyPiece[] {
    const at = this.#held.indexOf(close);
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + close.length).trimStart();
      this.#where = 'after';
      return [...piece('reasoning', reasoning), ...this.end()];
    }
    const keep = overlap(this.#held);
    const reasoning = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return piece('reasoning', reasoning);
  }
}

/** Length of the longest end of `text` that begins the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(close.slice(0, length))) return length;
  }
  return 0;
}

function piece(kind: 'text' | 'reasoning', text: string): readonly ReplyPiece[] {
  return text === '' ? [] : [{ kind, text }];
}
