import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { ChatEvent, Delta } from '../../client/api/types.ts';
import { fieldsOf } from '../../client/events/to-event.ts';
import { escapeControl } from './escape-control.ts';
import { type Flow, foldedFlow, markdownFlow, plainFlow, wordFlow } from './flow.ts';
import { textColumnsMax, textColumnsMin } from './limits.ts';
import { planLines } from './plan-lines.ts';

type Style = Parameters<typeof styleText>[0];
type ToolData = Extract<ChatEvent, { type: 'chat.tool' }>['data'];
type ApprovalData = Extract<ChatEvent, { type: 'chat.approval' }>['data'];
type LabelStyle = { readonly label: string; readonly style: Style; readonly form?: Form };
/** How a text is laid out in a terminal. Absent: in words. */
type Form = 'markdown' | 'folded';

/** Label and style of each marker. */
const markerStyles: Readonly<Record<string, LabelStyle>> = {
  thinking: { label: 'thinking', style: ['dim', 'italic'] },
  timeline_text: { label: 'notes', style: 'cyan' },
  code: { label: 'code', style: 'yellow', form: 'folded' },
  canvas: { label: 'canvas', style: 'magenta', form: 'folded' },
  answer: { label: 'answer', style: 'reset', form: 'markdown' },
};
/** Canvases of these types are text for people. */
const markdownTypes = /^text\/(markdown|plain)\b/;

type Piece = LabelStyle & {
  readonly text: string;
  /** Stands above the text. */
  readonly title?: string;
};

const planTool = 'react.plan';
const labelWidth = 10;
const indent = ' '.repeat(labelWidth + 2);

export type ScreenOptions = {
  readonly colour: boolean;
  /** Columns of the terminal. Absent: the output is not a terminal, and text is written as it comes. */
  readonly columns?: number | undefined;
  write(text: string): void;
};

/** Shows a conversation in a terminal: each stream under its label, as its pieces arrive. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #links = new Map<string, number>();
  readonly #sources = new Map<string, string>();
  #stream: string | undefined;
  #flow: Flow = plainFlow();
  #style: Style = 'reset';
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
    const width = this.#width;
    const safe = escapeControl(text);
    const fit = width === undefined ? safe : wrapAnsi(safe, width, { hard: true, trim: false });
    const body = fit.replaceAll('\n', `\n${indent}`);
    this.#options.write(`${this.#label(label)}${this.#paint(style, body)}\n`);
  }

  show(event: ChatEvent): void {
    if (event.type === 'chat.delta') this.#delta(event.delta);
    if (event.type === 'chat.tool') this.#tool(event.data);
    if (event.type === 'chat.approval') this.#approval(event.data);
    if (event.type === 'chat.step') this.#step(event.event.step, fieldsOf(event.data));
    if (event.type === 'chat.citations') {
      for (const { url, title } of event.data.items) {
        if (url !== '') this.#sources.set(url, escapeControl(title));
      }
    }
    if (event.type === 'chat.followups') this.line('next', event.data.items.join('\n'), 'dim');
    if (event.type === 'chat.error') this.line('error', event.data.message, 'red');
  }

  #delta({ marker, stream, text, artifact, mime = '' }: Delta): void {
    const known = markerStyles[marker] ?? { label: marker, style: 'reset' };
    const begins = this.#stream !== stream;
    if (begins && text.trim() === '') return;
    const form = markdownTypes.test(mime) ? { form: 'markdown' as const } : {};
    const title = begins && artifact !== undefined ? { title: artifact } : {};
    const piece = { ...known, ...form, ...title };
    this.#piece(stream, { ...piece, text: begins ? text.trimStart() : text });
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
    // The plan itself is shown instead.
    if (tool === planTool && fieldsOf(result)['ok'] !== false) return;
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
    if (step === 'plan') this.line('plan', planLines(data), 'cyan');
    if (step === 'chat.doubt') this.line('in doubt', String(data['text']), 'yellow');
    if (step === 'secret.required') this.line('secret', toSecretLine(data), 'yellow');
    if (step === 'approval.closed') this.line('', String(data['outcome']), 'dim');
    if (step === 'chat.exec.output') {
      const style = data['stream'] === 'stderr' ? 'red' : 'gray';
      const piece = { label: 'output', form: 'folded', style } as const;
      this.#piece(`output ${data['call']}`, { ...piece, text: String(data['text']) });
    }
    if (step === 'chat.tool.progress') this.#progress(data);
    if (step === 'chat.exec.call' && data['status'] === 'started') {
      // Another call of the same tool adds one dot.
      const stream = `calls ${data['call']} ${data['tool']}`;
      const text = this.#stream === stream ? ' ·' : String(data['tool']);
      this.#piece(stream, { label: 'calls', text, style: 'blue' });
    }
  }

  /** Each step of a call that reports its progress is a line, or the continuation of one. */
  #progress({ call, text, fraction, append }: Readonly<Record<string, unknown>>): void {
    const share = typeof fraction === 'number' ? `${Math.round(100 * fraction)} %` : '';
    const said = [share, typeof text === 'string' ? text : ''].filter((part) => part !== '');
    if (said.length === 0) return;
    const stream = `progress ${call}`;
    const isNextLine = this.#stream === stream && append !== true;
    const line = `${isNextLine ? '\n' : ''}${append === true ? said.at(-1) : said.join(' · ')}`;
    this.#piece(stream, { label: 'progress', text: line, style: 'blue', form: 'folded' });
  }

  #piece(stream: string, { label, text, style, form, title }: Piece): void {
    if (this.#stream !== stream) {
      this.#begin(stream);
      this.#options.write(this.#label(label));
      this.#atLineStart = false;
      this.#flow = this.#flowOf(form);
      if (title !== undefined) this.#text(`${escapeControl(title)}\n`, 'underline');
    }
    this.#style = style;
    this.#text(this.#flow.add(escapeControl(text)), style);
  }

  get #width(): number | undefined {
    const { columns } = this.#options;
    if (columns === undefined) return undefined;
    return Math.max(textColumnsMin, Math.min(textColumnsMax, columns - indent.length - 1));
  }

  #flowOf(form: Form | undefined): Flow {
    const width = this.#width;
    const { colour } = this.#options;
    if (width === undefined) return plainFlow();
    if (form === 'markdown') {
      return markdownFlow({ width, colour, links: this.#links, sources: this.#sources });
    }
    return form === 'folded' ? foldedFlow(width) : wordFlow(width);
  }

  #begin(stream: string | undefined): void {
    this.#text(this.#flow.end(), this.#style);
    this.#flow = plainFlow();
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
    return this.#options.colour ? styleText(style, text, { validateStream: false }) : text;
  }
}

function toSecretLine({ id, description, method, url }: Readonly<Record<string, unknown>>): string {
  return `${id}: ${description}\nset it with ${method} ${url} {"value": "…"}, then send the message again`;
}
