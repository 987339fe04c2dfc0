import { styleText } from 'node:util';
import type { ChatEvent, Delta } from '../client/types.ts';

type Style = Parameters<typeof styleText>[0];
type Look = { readonly label: string; readonly style: Style };

/** What each marker of the wire is called, and how it looks. */
const looks: Readonly<Record<string, Look>> = {
  thinking: { label: 'thinking', style: ['dim', 'italic'] },
  timeline_text: { label: 'notes', style: 'cyan' },
  code: { label: 'code', style: 'yellow' },
  subsystem: { label: 'output', style: 'gray' },
  canvas: { label: 'canvas', style: 'magenta' },
  answer: { label: 'answer', style: 'bold' },
};

const labelWidth = 10;
const indent = ' '.repeat(labelWidth + 2);

export type ScreenOptions = {
  readonly colour: boolean;
  write(text: string): void;
};

/** A conversation in a terminal: each stream under its label, piece by piece as it comes. */
export class Screen {
  readonly #options: ScreenOptions;
  #stream: string | undefined;
  #atLineStart = true;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  heading(text: string): void {
    this.#begin(undefined);
    this.#options.write(`\n${this.#paint('bold', `── ${text} `.padEnd(72, '─'))}\n`);
  }

  /** One fact under a label. */
  line(label: string, text: string, style: Style = 'reset'): void {
    this.#begin(undefined);
    const body = text.replaceAll('\n', `\n${indent}`);
    this.#options.write(`${this.#label(label)}${this.#paint(style, body)}\n`);
  }

  show(event: ChatEvent): void {
    if (event.type === 'chat.delta') this.#delta(event.delta);
    if (event.type === 'chat.tool') this.#tool(event);
    if (event.type === 'chat.error') this.line('error', event.data.message, 'red');
  }

  #delta({ marker, stream, text, artifact }: Delta): void {
    const { label, style } = looks[marker] ?? { label: marker, style: 'reset' };
    if (this.#stream !== stream) {
      if (text.trim() === '') return;
      this.#begin(stream);
      const name = artifact === undefined ? '' : `${artifact}\n`;
      this.#options.write(this.#label(label));
      this.#atLineStart = false;
      this.#text(name, 'underline');
      this.#text(text.trimStart(), style);
      return;
    }
    this.#text(text, style);
  }

  #tool({ data: { tool, state, result } }: Extract<ChatEvent, { type: 'chat.tool' }>): void {
    if (state === 'running') this.line('tool', `${tool} …`, 'blue');
    if (state !== 'done') return;
    const failed =
      typeof result === 'object' && result !== null && Reflect.get(result, 'ok') === false;
    this.line('tool', `${tool} ${failed ? 'failed' : 'done'}`, failed ? 'red' : 'blue');
  }

  #begin(stream: string | undefined): void {
    if (!this.#atLineStart) this.#options.write('\n');
    this.#atLineStart = true;
    this.#stream = stream;
  }

  /** The indent of a line is written with its first character, so that a text may end in a line end. */
  #text(text: string, style: Style): void {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        this.#options.write('\n');
        this.#atLineStart = true;
      }
      if (line === '') continue;
      this.#options.write(`${this.#atLineStart ? indent : ''}${this.#paint(style, line)}`);
      this.#atLineStart = false;
    }
  }

  #label(label: string): string {
    return `${this.#paint('dim', label.padStart(labelWidth))}  `;
  }

  #paint(style: Style, text: string): string {
    return this.#options.colour ? styleText(style, text) : text;
  }
}
