/** Skips a comment between the parts of a JSON value: JSON has none, but models know them from programs. */
export class JsonComment {
  #read = '';

  /** Whether this character belongs to a comment. */
  step(char: string): boolean {
    if (this.#read === '') {
      if (char === '/') this.#read = char;
      return char === '/';
    }
    const read = this.#read + char;
    const isOpening = read === '//' || read === '/*';
    if (read.length === 2 && !isOpening) {
      this.#read = '';
      return false;
    }
    const isEnd = read.startsWith('//') ? char === '\n' : read.length > 3 && read.endsWith('*/');
    this.#read = isEnd ? '' : read.slice(0, 2) + char;
    return true;
  }
}
