import { styleText } from 'node:util';
import type { ChatEvent, Delta } from '../../client/api/types.ts';
import { fieldsOf } from '../../client/events/to-event.ts';
import { escapeControl } from './escape-control.ts';

type Style = Parameters<typeof styleText>[0];
type ToolData = Extract<ChatEvent, { type: 'chat.tool' }>['data'];
type ApprovalData = Extract<ChatEvent, { type: 'chat.approval' }>['data'];
type LabelStyle = { readonly label: string; readonly style: Style };

/** Label and style of each marker. */
const markerStyles: Readonly<Record<string, LabelStyle>> = {
  thinking: { label: 'thinking', style: ['dim', 'italic'] },
  timeline_text: { label: 'notes', style: 'cyan' },
  code: { label: 'code', style: 'yellow' },
  canvas: { label: 'canvas', style: 'magenta' },
  answer: { label: 'answer', style: 'bold' },
};

const labelWidth = 10;
const indent = ' '.repeat(labelWidth + 2);

export type ScreenOptions = {
  readonly colour: boolean;
  write(text: string): void;
};

/** Shows a conversation in a terminal: each stream under its label, as its pieces arrive. */
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
    const body = escapeControl(text).replaceAll('\n', `\n${indent}`);
    this.#options.write(`${this.#label(label)}${this.#paint(style, body)}\n`);
  }

  show(event: ChatEvent): void {
    if (event.type === 'chat.delta') this.#delta(event.delta);
    if (event.type === 'chat.tool') this.#tool(event.data);
    if (event.type === 'chat.approval') this.#approval(event.data);
    if (event.type === 'chat.step') this.#step(event.event.step, fieldsOf(event.data));
    if (event.type === 'chat.error') this.line('error', event.data.message, 'red');
  }

  #delta({ marker, stream, text, artifact }: Delta): void {
    const { label, style } = markerStyles[marker] ?? { label: marker, style: 'reset' };
    const begins = this.#stream !== stream;
    if (begins && text.trim() === '') return;
    if (begins && artifact !== undefined)
      this.#piece(stream, { label, text: `${artifact}\n`, style: 'underline' });
    this.#piece(stream, { label, text: begins ? text.trimStart() : text, style });
  }

  #approval(data: ApprovalData): void {
    const { title, detail = '' } = data;
    const call = 'tool' in data ? `${data.tool} ${JSON.stringify(data.input)}` : '';
    const more = [detail, call].filter((line) => line !== '');
    const answers = data.kind === 'spending' ? 'y: extend, n: stop' : 'y: allow, n: refuse';
    this.line('approval', [title, ...more, answers].join('\n'), 'yellow');
  }

  /** Without interruption, a call is one line: the tool and the outcome. */
  #tool({ call, tool, state, result }: ToolData): void {
    if (state === 'running')
      this.#piece(`tool ${call}`, { label: 'tool', text: `${tool} …`, style: 'blue' });
    if (state === 'external')
      this.line('waiting', `for a client that runs ${tool}; this terminal cannot run it`, 'yellow');
    if (state !== 'done') return;
    const { ok, error } = fieldsOf(result);
    const how = ok === false ? `failed: ${fieldsOf(error)['message']}` : 'done';
    const text = `${this.#stream === `tool ${call}` ? '' : tool} ${how}`;
    this.#piece(`tool ${call}`, { label: 'tool', text, style: ok === false ? 'red' : 'blue' });
  }

  /** Output and tool calls of a program. */
  #step(step: string, data: Readonly<Record<string, unknown>>): void {
    if (step === 'chat.doubt') this.line('in doubt', String(data['text']), 'yellow');
    if (step === 'secret.required') this.line('secret', toSecretLine(data), 'yellow');
    if (step === 'approval.closed') this.line('', String(data['outcome']), 'dim');
    if (step === 'chat.exec.output') {
      const style = data['stream'] === 'stderr' ? 'red' : 'gray';
      this.#piece(`output ${data['call']}`, { label: 'output', text: String(data['text']), style });
    }
    if (step === 'chat.exec.call' && data['status'] === 'started') {
      // Another call of the same tool adds one dot.
      const stream = `calls ${data['call']} ${data['tool']}`;
      const text = this.#stream === stream ? ' ·' : String(data['tool']);
      this.#piece(stream, { label: 'calls', text, style: 'blue' });
    }
  }

  #piece(stream: string, { label, text, style }: LabelStyle & { readonly text: string }): void {
    if (this.#stream !== stream) {
      this.#begin(stream);
      this.#options.write(this.#label(label));
      this.#atLineStart = false;
    }
    this.#text(escapeControl(text), style);
  }

  #begin(stream: string | undefined): void {
    if (!this.#atLineStart) this.#options.write('\n');
    this.#atLineStart = true;
    this.#stream = stream;
  }

  /** Writes the indent of a line with its first character, so a text may end with a line break. */
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
    return `${this.#paint('dim', escapeControl(label).padStart(labelWidth))}  `;
  }

  #paint(style: Style, text: string): string {
    return this.#options.colour ? styleText(style, text) : text;
  }
}

function toSecretLine({ id, description, method, url }: Readonly<Record<string, unknown>>): string {
  return `${id}: ${description}\nset it with ${method} ${url} {"value": "…"}, then send the message again`;
}
