import type { FieldEvent } from '../json/json-stream.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { InstanceNumbers } from './instance-numbers.ts';

export type FieldOptions = {
  readonly numbers: InstanceNumbers;
  /** Whether a tool runs a program. */
  readonly isExec: (tool: string) => boolean;
  /** Top-level fields for what other protocols write in channels of the same name. */
  readonly beside: ReadonlySet<string>;
};

const code = 'tool_call.params.code';
const tool = 'tool_call.tool_id';
const canvasText = 'canvas.text';
const canvasFacts = ['canvas.name', 'canvas.mime', 'canvas.title'] as const;

/**
 * Streams fields of one decision as channels: the program of an exec tool, and what other protocols write in channels of
 * their own. Their events follow the text of the decision that contains them.
 */
export class FieldChannels {
  readonly #options: FieldOptions;
  readonly #facts = new Map<string, string>();
  /** A program whose tool is not known yet. */
  #program = '';
  #open:
    | { readonly field: string; readonly channel: string; readonly instance: number }
    | undefined;

  constructor(options: FieldOptions) {
    this.#options = options;
  }

  /** Takes the next fields of the decision. */
  take(fields: readonly FieldEvent[]): readonly ReplyEvent[] {
    return fields.flatMap((field) => this.#take(field));
  }

  /** The decision has ended. */
  end(): readonly ReplyEvent[] {
    return [...this.#waiting(), ...this.#close('end')];
  }

  #take({ field, kind, text }: FieldEvent): readonly ReplyEvent[] {
    if (field === tool && kind === 'end') return this.#waiting();
    if (field === tool || isCanvasFact(field)) {
      this.#facts.set(field, (this.#facts.get(field) ?? '') + text);
      return [];
    }
    if (kind === 'end') return this.#open?.field === field ? this.#close('tag') : [];
    if (kind !== 'text') return [];
    if (field === code) return this.#code(text);
    const isShown = this.#options.beside.has(field === canvasText ? 'canvas' : field);
    return isShown ? this.#write(field, text) : [];
  }

  #code(text: string): readonly ReplyEvent[] {
    const id = this.#facts.get(tool);
    if (id !== undefined) return this.#options.isExec(id) ? this.#write(code, text) : [];
    this.#program += text;
    return [];
  }

  /** The tool came after its program. */
  #waiting(): readonly ReplyEvent[] {
    const program = this.#program;
    this.#program = '';
    if (program === '' || !this.#options.isExec(this.#facts.get(tool) ?? '')) return [];
    return [...this.#write(code, program), ...this.#close('tag')];
  }

  #write(field: string, text: string): readonly ReplyEvent[] {
    const opened = this.#open?.field === field ? [] : [...this.#close('end'), this.#begin(field)];
    const { channel = '', instance = 0 } = this.#open ?? {};
    return [...opened, { kind: 'text', channel, instance, text }];
  }

  #begin(field: string): ReplyEvent {
    const channel = field === code ? 'code' : field === canvasText ? 'canvas' : field;
    const instance = this.#options.numbers.next(channel);
    this.#open = { field, channel, instance };
    const attributes = channel === 'canvas' ? this.#canvasFacts() : {};
    return { kind: 'opened', channel, instance, attributes, as: 'field' };
  }

  #canvasFacts(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      canvasFacts.flatMap((field) => {
        const fact = this.#facts.get(field);
        return fact === undefined ? [] : [[field.slice('canvas.'.length), fact]];
      }),
    );
  }

  #close(how: 'tag' | 'end'): readonly ReplyEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const { channel, instance } = open;
    return [{ kind: 'closed', channel, instance, how }];
  }
}

function isCanvasFact(field: string): boolean {
  return canvasFacts.some((fact) => fact === field);
}
