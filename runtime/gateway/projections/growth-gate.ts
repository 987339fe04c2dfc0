/** A text is sent again when it has grown by this part of itself. */
const growth = 64;

/**
 * When a protocol that repeats the whole text sends it again: with every piece at first, later when it has grown by a part of itself.
 * Otherwise the bytes of an answer would grow with the square of its length. What is held back is sent with the next piece that
 * is due, or with the end.
 */
export class GrowthGate {
  #chars = 0;
  #sent = 0;

  /** Whether the text is due after these characters. */
  isDue(added: number): boolean {
    this.#chars += added;
    if (this.#chars - this.#sent < this.#chars / growth) return false;
    this.#sent = this.#chars;
    return true;
  }

  /** A part of the text is held back. */
  get isBehind(): boolean {
    return this.#sent < this.#chars;
  }
}
