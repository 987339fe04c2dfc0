import { countTokens } from '../../timeline/tokens.ts';
import type { Model, ModelEvent, ModelUsage } from '../ports/model.ts';

type Done = Extract<ModelEvent, { kind: 'done' }>;

/** What one answer has used, whole or cut off. */
export type MeteredUsage = Pick<Done, 'usage' | 'model'> & {
  readonly finish: Done['finish'] | 'interrupted';
  /** The provider had said nothing of it yet: the tokens are those we count. */
  readonly estimated: boolean;
};

/** Follows one answer of a model, so that one which is cut off is paid for by what was seen of it. */
export class UsageMeter {
  readonly #model: Model;
  /** Counted only if nobody else says it. */
  readonly #inputTokens: () => number;
  #text = '';
  #start: Extract<ModelEvent, { kind: 'begun' }> | undefined;
  #done: Done | undefined;

  constructor(model: Model, inputTokens: () => number) {
    this.#model = model;
    this.#inputTokens = inputTokens;
  }

  take(event: ModelEvent): void {
    if (event.kind === 'done') this.#done = event;
    else if (event.kind === 'begun') this.#start = event;
    else this.#text += event.text;
  }

  /** It was in the middle of its words, or beyond. */
  get hasText(): boolean {
    return this.#text !== '';
  }

  /** Undefined: nothing of it has come. */
  get metered(): MeteredUsage | undefined {
    if (this.#done) return { ...this.#done, estimated: false };
    if (this.#start === undefined && this.#text === '') return undefined;
    const { usage = this.#counted(), model = this.#model.id } = this.#start ?? {};
    const outputTokens = Math.max(usage.outputTokens, countTokens(this.#text));
    const estimated = this.#start === undefined;
    return { usage: { ...usage, outputTokens }, model, finish: 'interrupted', estimated };
  }

  #counted(): ModelUsage {
    const nothing = { outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return { inputTokens: this.#inputTokens(), ...nothing };
  }
}
