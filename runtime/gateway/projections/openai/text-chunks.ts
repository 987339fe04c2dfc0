/** Characters of a chunk: at least the first number up to a space, at most the second. */
const [charsMin, charsMax] = [8, 16];

/**
 * Cuts a text at places that depend on the text alone, however it arrives: a stream that is repeated has the same chunks,
 * so that their numbers mean the same.
 */
export class TextChunks {
  #rest = '';

  push(text: string): readonly string[] {
    const chunks: string[] = [];
    for (const character of text) {
      this.#rest += character;
      const isCut =
        this.#rest.length >= charsMax || (this.#rest.length >= charsMin && isSpace(character));
      if (!isCut) continue;
      chunks.push(this.#rest);
      this.#rest = '';
    }
    return chunks;
  }

  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n';
}
