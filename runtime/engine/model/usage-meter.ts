import { countTokens } from '../../timeline/tokens.ts';
import type { Model, ModelEvent, ModelUsage } from '../ports/model.ts';

type DoneEvent = Extract<ModelEvent, { kind: 'done' }>;

/** Usage of one answer, complete or interrupted. */
export type MeteredUsage = Pick<DoneEvent, 'usage' | 'model' | 'insteadOf'> & {
  readonly finish: DoneEvent['finish'] | 'interrupted';
  /** The provider had not reported usage yet: these are our own token counts. */
  readonly estimated: boolean;
};

/** Follows one model answer, so that an interrupted one is charged for the part that was received. */
export class UsageMeter {
  readonly #model: Model;
  /** Counted only if the provider does not report it. */
  readonly #inputTokens: () => number;
  #text = '';
  #start: Extract<ModelEvent, { kind: 'begun' }> | undefined;
  #done: DoneEvent | undefined;

  constructor(model: Model, inputTokens: () => number) {
    this.#model = model;
    this.#inputTokens = inputTokens;
  }

  take(event: ModelEvent): void {
    if (event.kind === 'done') this.#done = event;
    else if (event.kind === 'begun') this.#start = event;
    else if ('text' in event) this.#text += event.text;
  }

  /** The answer had started or was complete. */
  get hasText(): boolean {
    return this.#text !== '';
  }

  /** Undefined: nothing was received. */
  get metered(): MeteredUsage | undefined {
    if (this.#done) return this.#complete(this.#done);
    if (this.#start === undefined && this.#text === '') return undefined;
    const { usage = this.#counted(), model = this.#model.id } = this.#start ?? {};
    const outputTokens = Math.max(usage.outputTokens, countTokens(this.#text));
    const estimated = this.#start === undefined;
    const { insteadOf } = this.#start ?? {};
    return {
      ...{ usage: { ...usage, outputTokens }, model, finish: 'interrupted', estimated },
      ...(insteadOf ? { insteadOf } : {}),
    };
  }

  /** Some servers report no usage at all. */
  #complete(done: DoneEvent): MeteredUsage {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = done.usage;
    if (inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens > 0)
      return { ...done, estimated: false };
    const usage = { ...this.#counted(), outputTokens: countTokens(this.#text) };
    return { ...done, usage, estimated: true };
  }

  #counted(): ModelUsage {
    const nothing = { outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return { inputTokens: this.#inputTokens(), ...nothing };
  }
}
