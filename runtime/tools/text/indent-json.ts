import { setImmediate } from 'node:timers/promises';
import { jsonTurnChars } from '../limits.ts';

/**
 * Indents compact JSON by two spaces, as JSON.stringify would. It scans the text piece by piece and yields to the event
 * loop in between: parsing and serialising a value of many megabytes would block the event loop.
 */
export async function indentJson(json: string): Promise<string> {
  const indenter = new Indenter(json);
  const pieces = [indenter.next()];
  while (!indenter.isOver) {
    await setImmediate();
    pieces.push(indenter.next());
  }
  return pieces.join('');
}

class Indenter {
  readonly #json: string;
  #parts: string[] = [];
  #at = 0;
  /** The text up to here has been written. */
  #written = 0;
  #depth = 0;
  #isText = false;

  constructor(json: string) {
    this.#json = json;
  }

  get isOver(): boolean {
    return this.#at >= this.#json.length;
  }

  next(): string {
    this.#parts = [];
    const end = Math.min(this.#json.length, this.#at + jsonTurnChars);
    for (; this.#at < end; this.#at += 1) {
      if (this.#isText) this.#nextQuote();
      else this.#step();
    }
    this.#write(this.#at, '');
    return this.#parts.join('');
  }

  #step(): void {
    const at = this.#at;
    switch (this.#json[at]) {
      case '"':
        this.#isText = true;
        break;
      case ',':
        this.#write(at + 1, this.#newLine());
        break;
      case ':':
        this.#write(at + 1, ' ');
        break;
      case '[':
      case '{':
        this.#open(at);
        break;
      case ']':
      case '}':
        this.#depth -= 1;
        this.#write(at, this.#newLine());
        break;
      default:
    }
  }

  /** Empty lists and objects have no line break between their brackets. */
  #open(at: number): void {
    const next = this.#json[at + 1];
    if (next === ']' || next === '}') this.#at += 1;
    else {
      this.#depth += 1;
      this.#write(at + 1, this.#newLine());
    }
  }

  #write(to: number, then: string): void {
    this.#parts.push(this.#json.slice(this.#written, to), then);
    this.#written = to;
  }

  #newLine(): string {
    return `\n${'  '.repeat(this.#depth)}`;
  }

  /** Moves to the next quote in a string; it ends the string unless it is escaped. */
  #nextQuote(): void {
    const next = this.#json.indexOf('"', this.#at);
    this.#at = next < 0 ? this.#json.length : next;
    let before = this.#at;
    while (this.#json[before - 1] === '\\') before -= 1;
    this.#isText = (this.#at - before) % 2 === 1;
  }
}
