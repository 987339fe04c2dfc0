import { isRefusal } from '../../base/refusal.ts';
import { countRepeatedTokens, countTokens } from '../../timeline/tokens.ts';
import type { Reservation, TurnBudget } from '../../tools/ports/turn-budget.ts';
import { outputTokensInternal, temperature } from '../limits.ts';
import type { Model, ModelRequest } from '../ports/model.ts';
import { toWireCall } from './usage.ts';
import { type MeteredUsage, UsageMeter } from './usage-meter.ts';

/** One question to a model outside the rounds of a turn. */
export type Question = Pick<
  ModelRequest,
  'role' | 'system' | 'offer' | 'format' | 'conversation'
> & {
  readonly text: string;
  readonly maxOutputTokens?: number;
  /** Form of the answer: for recording only. */
  readonly level?: string;
};

export type CallOptions = {
  readonly signal: AbortSignal;
  /** Charged for every answer, also for the part of an interrupted one that was received. */
  readonly budget?: TurnBudget | undefined;
  /** The model has sent something. */
  readonly active?: (() => void) | undefined;
};

export type Answer = {
  readonly text: string;
  /** Arguments of the first tool call, as JSON text. Undefined: no tool was called. */
  readonly input: string | undefined;
  /** Undefined: nothing was received. */
  readonly metered: MeteredUsage | undefined;
};

/** Faults of the model are thrown. Once the budget is used up, this throws Refusal `budget_exhausted`. */
export async function meteredCall(
  model: Model,
  question: Question,
  { signal, budget, active }: CallOptions,
): Promise<Answer> {
  const { text: prompt, level, maxOutputTokens = outputTokensInternal, ...wire } = question;
  const { role, system, offer } = wire;
  const request = {
    ...wire,
    parts: [{ kind: 'text', text: prompt } as const],
    maxOutputTokens,
    temperature,
  };
  const offered = offer ? JSON.stringify(offer.tools) : '';
  const inputTokens = () =>
    countRepeatedTokens(system) + countTokens(prompt) + countRepeatedTokens(offered);
  using _room = await budget?.reserve(() => maxCost(model, inputTokens(), maxOutputTokens), {
    signal,
  });
  const meter = new UsageMeter(model, inputTokens);
  const form = level === undefined ? {} : { level };
  const charge = async () => {
    if (meter.metered) await budget?.charge({ role, ...form, ...toWireCall(model, meter.metered) });
  };
  const answer = new AnswerCollector();
  try {
    for await (const event of model.stream(request, { signal })) {
      active?.();
      meter.take(event);
      answer.take(event);
    }
  } catch (error) {
    await charge().catch(ignoreRefusal);
    throw error;
  }
  await charge();
  return { ...answer.answer, metered: meter.metered };
}

type Event = Parameters<UsageMeter['take']>[0];

class AnswerCollector {
  #text = '';
  #call: string | undefined;
  #input = '';

  get answer(): Pick<Answer, 'text' | 'input'> {
    return { text: this.#text.trim(), input: this.#call === undefined ? undefined : this.#input };
  }

  take(event: Event): void {
    if (event.kind === 'text') this.#text += event.text;
    if (event.kind === 'call') this.#call ??= event.call;
    if (event.kind === 'arguments' && event.call === this.#call) this.#input += event.text;
  }
}

/** Assumes that nothing is cached. */
function maxCost(model: Model, inputTokens: number, outputTokens: number): Reservation {
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { tokens: inputTokens + outputTokens, costUsd: model.costUsd(usage) };
}

/** An answer that was interrupted after its turn had ended is not charged. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
