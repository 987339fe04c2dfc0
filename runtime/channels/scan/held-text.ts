/** Text that waits. Its length is known at once, so that work grows with the length of the text and no faster. */
export class HeldText {
  #text = '';
  #chars = 0;
  #blankChars = 0;

  /** Without the white space around it. */
  get chars(): number {
    return this.#chars;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    this.#text += text;
    const said = text.trimEnd();
    if (said === '') {
      if (this.#chars > 0) this.#blankChars += text.length;
      return;
    }
    const first = this.#chars === 0 ? said.trimStart() : said;
    this.#chars += this.#blankChars + first.length;
    this.#blankChars = text.length - said.length;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#chars = 0;
    this.#blankChars = 0;
    return text;
  }
}

/** Holds back white space at the end of a text, which is dropped unless more text follows. */
export class BlankEnd {
  #blank = '';

  /** The text that may be shown now. */
  push(text: string): string {
    const end = text.trimEnd();
    if (end === '') {
      this.#blank += text;
      return '';
    }
    const said = this.#blank + end;
    this.#blank = text.slice(end.length);
    return said;
  }

  drop(): void {
    this.#blank = '';
  }
}
