export type ServerEvent = { readonly event: string | undefined; readonly data: string };

/** Reads server-sent events from text that is split anywhere. Lines end with LF, CRLF or CR. */
export class EventLines {
  /** The beginning of a line. */
  #rest = '';
  #event: string | undefined;
  #data: string[] = [];
  #events: ServerEvent[] = [];

  /** Characters of an event that is not complete yet. */
  get heldChars(): number {
    return this.#data.reduce((chars, line) => chars + line.length, this.#rest.length);
  }

  /** The events that this text completes. */
  push(text: string): readonly ServerEvent[] {
    const whole = this.#rest + text;
    // A CR at the end may be the first half of CRLF.
    const known = whole.endsWith('\r') ? whole.length - 1 : whole.length;
    const read = whole.slice(0, known);
    const lines = (read.includes('\r') ? read.replace(/\r\n?/g, '\n') : read).split('\n');
    this.#rest = (lines.pop() ?? '') + whole.slice(known);
    for (const line of lines) this.#take(line);
    return this.#taken();
  }

  /** The text has ended: so has an event without an empty line after it. */
  end(): readonly ServerEvent[] {
    const rest = this.#rest.replace(/\r$/, '');
    this.#rest = '';
    if (rest !== '') this.#take(rest);
    this.#take('');
    return this.#taken();
  }

  #taken(): readonly ServerEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #take(line: string): void {
    if (line === '') this.#finish();
    else if (line.startsWith('data:')) this.#data.push(fieldOf(line));
    else if (line.startsWith('event:')) this.#event = fieldOf(line);
    // Comments keep the connection alive; ids and times to retry have no meaning here.
  }

  #finish(): void {
    if (this.#data.length > 0)
      this.#events.push({ event: this.#event, data: this.#data.join('\n') });
    this.#event = undefined;
    this.#data = [];
  }
}

function fieldOf(line: string): string {
  const value = line.slice(line.indexOf(':') + 1);
  return value.startsWith(' ') ? value.slice(1) : value;
}
