/** Follows JSON text piece by piece and knows when its first value is complete. */
export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #complete = false;
  #empty = true;

  get complete(): boolean {
    return this.#complete;
  }

  /** Nothing but white space so far. */
  get empty(): boolean {
    return this.#empty;
  }

  push(text: string): void {
    for (const char of text) this.#take(char);
  }

  #take(char: string): void {
    if (this.#empty && /\s/.test(char)) return;
    this.#empty = false;
    if (this.#inString) this.#takeInString(char);
    else if (char === '"') this.#inString = true;
    else if (char === '{' || char === '[') this.#depth += 1;
    else if (char === '}' || char === ']') this.#leave();
  }

  #takeInString(char: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (char === '\\') this.#escaped = true;
    else if (char === '"') {
      this.#inString = false;
      if (this.#depth === 0) this.#complete = true;
    }
  }

  #leave(): void {
    this.#depth -= 1;
    if (this.#depth <= 0) this.#complete = true;
  }
}
