import { progressCharsMax } from '../../../tools/limits.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import { cumulativeStepChars, cumulativeSteps } from '../../contract/limits.ts';
import type { Progress } from '../../define/context.ts';
import { showProgress } from '../context/turn-context.ts';
import type { Mask, MaskStream } from '../host/mask.ts';

type Streaming = {
  readonly call: CallContext;
  readonly mask: Mask;
  /** Each value that the tool yields is its whole text so far. */
  readonly cumulative: boolean;
};

/** The result of a tool. What a generator yields is shown as progress; what it returns is the result. */
export async function drain(running: unknown, streaming: Streaming): Promise<unknown> {
  if (!isGenerator(running)) return running;
  const { call, mask, cumulative } = streaming;
  if (!cumulative) return stepThrough(running, call, (step) => showProgress(step, call, mask));
  const text = new CumulativeText(call, mask);
  try {
    const returned = await stepThrough(running, call, (step) => text.take(step));
    return returned === undefined ? text.whole : returned;
  } finally {
    text.end();
  }
}

async function stepThrough(
  steps: Steps,
  { signal }: CallContext,
  show: (progress: Progress) => void,
): Promise<unknown> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    try {
      signal.throwIfAborted();
      show(step.value);
    } catch (error) {
      await steps.return(undefined);
      throw error;
    }
  }
}

type Steps = Generator<Progress, unknown, undefined> | AsyncGenerator<Progress, unknown, undefined>;

/** Sync or async generators. A plain iterator, such as the values of a map, is a value. */
function isGenerator(value: unknown): value is Steps {
  if (typeof value !== 'object' || value === null) return false;
  return 'next' in value && 'throw' in value;
}

/** Turns whole texts into what each adds to the one before. A text that does not continue the last one replaces it. */
class CumulativeText {
  readonly #call: CallContext;
  readonly #mask: Mask;
  #masked: MaskStream;
  #pending = '';
  #steps = 0;
  #isContinued = false;
  /** The last text. Undefined: none. */
  whole: string | undefined;

  constructor(call: CallContext, mask: Mask) {
    this.#call = call;
    this.#mask = mask;
    this.#masked = mask.stream();
  }

  take(progress: Progress): void {
    const { text, ...rest } = typeof progress === 'string' ? { text: progress } : progress;
    if (text !== undefined) this.#grow(text);
    if (Object.keys(rest).length > 0) showProgress(rest, this.#call, this.#mask);
  }

  /** Shows what is held back. A call that is over shows nothing more. */
  end(): void {
    this.#pending += this.#masked.end();
    if (!this.#call.signal.aborted) this.#show();
  }

  #grow(text: string): void {
    const before = this.whole ?? '';
    const isNext = text.startsWith(before);
    if (!isNext) {
      this.#masked = this.#mask.stream();
      this.#pending = '';
      this.#isContinued = false;
    }
    this.#pending += this.#masked.push(isNext ? text.slice(before.length) : text);
    this.whole = text;
    // Few large steps instead of many small ones, once there are many.
    const isDue = this.#steps < cumulativeSteps || this.#pending.length >= cumulativeStepChars;
    if (isDue) this.#show();
  }

  #show(): void {
    while (this.#pending !== '') {
      const text = cutText(this.#pending, progressCharsMax);
      this.#pending = this.#pending.slice(text.length);
      this.#call.services.progress({ text, ...(this.#isContinued ? { append: true } : {}) });
      this.#isContinued = true;
      this.#steps += 1;
    }
  }
}
