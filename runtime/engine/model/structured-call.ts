import { Fault, isFault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import type { Model, ModelRequest, ModelUsage } from '../ports/model.ts';
import { type Attempt, attemptsOf, type Level } from './answer-levels.ts';
import { type Answer, type CallOptions, meteredCall } from './metered-call.ts';
import { type AnswerReading, type AnswerType, readAnswer } from './read-answer.ts';

export type StructuredRequest<T> = Pick<ModelRequest, 'role' | 'conversation'> & {
  /** What the model is and does. The form of the answer is added. */
  readonly system?: string;
  readonly prompt: string;
  /** Name of the tool that a model is made to call. Default: `answer`. */
  readonly name?: string;
  readonly output: AnswerType<T>;
  /** Last resort for plain text without JSON, for example a regular expression. Its result is parsed like any answer. */
  readonly recover?: (text: string) => Json | undefined;
  /** The answer is a text: at the level `plain` the model writes it as it is, once, and a text that is cut off does not count. */
  readonly isText?: true;
  readonly maxOutputTokens?: number;
  /** The value if no answer is usable, or the model fails. Absent: that is a fault. */
  readonly fallback?: { readonly value: T };
};

export type StructuredAnswer<T> = {
  readonly value: T;
  /** The JSON that was parsed. Undefined for the fallback. */
  readonly raw: Json | undefined;
  /** Where the value comes from. */
  readonly level: Level | 'fallback';
  /** Requests to the model. */
  readonly calls: number;
  /** Of all requests. */
  readonly usage: ModelUsage;
  readonly costUsd: number;
  /** Why the fallback was taken. */
  readonly because?: string;
};

/**
 * An answer of a certain shape, from any model: as the input of a tool it is forced to call, else as one JSON object,
 * else as JSON in plain text; a level that the model lacks is left out. At most 1 + 2 + 2 requests. Without a usable
 * answer and without `fallback` this throws Fault `OUTPUT_INVALID`. The budget is charged for every request; once it is
 * used up, this throws Refusal `budget_exhausted`.
 */
export async function structuredCall<T>(
  model: Model,
  request: StructuredRequest<T>,
  options: CallOptions,
): Promise<StructuredAnswer<T>> {
  const spent = new Spent(model);
  let because = '';
  for (const attempt of attemptsOf(model, request.output.schema, request)) {
    const answer = await answerOf(model, { request, attempt, because }, options);
    spent.add(answer);
    if ('fault' in answer) {
      because = answer.fault.code;
      if (isRefused(answer.fault, attempt)) continue;
      break;
    }
    const read = await readAnswer(answer, { attempt, request });
    if (read.ok) return { value: read.value, raw: read.raw, level: attempt.level, ...spent.sums };
    // Another form of the answer would be cut off as well.
    if (request.isText && answer.metered?.finish === 'length') break;
    because = reformat(read, answer);
  }
  if (!request.fallback) throw new Fault('OUTPUT_INVALID', { because });
  return { ...request.fallback, raw: undefined, level: 'fallback', ...spent.sums, because };
}

type Try<T> = {
  readonly request: StructuredRequest<T>;
  readonly attempt: Attempt;
  readonly because: string;
};

async function answerOf<T>(
  model: Model,
  { request, attempt, because }: Try<T>,
  options: CallOptions,
): Promise<Answer | { readonly fault: Fault }> {
  const { role, conversation, prompt, name = 'answer', system = '', maxOutputTokens } = request;
  const { words, ...wire } = attempt.form(name);
  const question = {
    role,
    ...(conversation === undefined ? {} : { conversation }),
    ...wire,
    level: attempt.level,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    system: [system, words.system].filter((each) => each !== '').join('\n\n'),
    text: [prompt, words.prompt, because].filter((each) => each !== '').join('\n\n'),
  };
  try {
    return await meteredCall(model, question, options);
  } catch (error) {
    options.signal.throwIfAborted();
    const isModels = isFault(error) && /^(MODEL|SCRIPT)_/.test(error.code);
    if (isModels && (request.fallback || isRefused(error, attempt))) return { fault: error };
    throw error;
  }
}

/** The provider does not serve this level after all; the next one may work. */
function isRefused({ code }: Fault, { level }: Attempt): boolean {
  return level !== 'plain' && code === 'MODEL_REFUSED';
}

/** Characters of an unusable answer that its model is shown again. */
const shownCharsMax = 4_000;

function reformat(read: AnswerReading<unknown> & { ok: false }, { text, input }: Answer): string {
  const shown = (input ?? text).slice(0, shownCharsMax).toWellFormed();
  return `Your last answer did not fit: ${read.because}\nIt was:\n${shown}`;
}

class Spent {
  readonly #model: Model;
  #calls = 0;
  #usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  #costUsd = 0;

  constructor(model: Model) {
    this.#model = model;
  }

  get sums() {
    return { calls: this.#calls, usage: this.#usage, costUsd: this.#costUsd };
  }

  /** A request that failed is paid by its budget, but what it used is not known here. */
  add(answer: Answer | { readonly fault: Fault }): void {
    this.#calls += 1;
    const metered = 'fault' in answer ? undefined : answer.metered;
    if (!metered) return;
    const { usage, model } = metered;
    this.#costUsd += this.#model.costUsd(usage, model);
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
      cacheReadTokens: this.#usage.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: this.#usage.cacheWriteTokens + usage.cacheWriteTokens,
    };
  }
}
