import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { AnswerSchema, GenerateRequest } from '../../sdk/compile/host/bundle-host.ts';
import type { OutputViolation } from '../../sdk/contract/agent-settings.ts';
import { countTokens } from '../../timeline/tokens.ts';
import type { Reservation, TurnBudget } from '../../tools/ports/turn-budget.ts';
import { internalAttemptsMax, outputTokensInternal, temperature } from '../limits.ts';
import type { Model } from '../ports/model.ts';
import { toWireCall } from './usage.ts';
import { UsageMeter } from './usage-meter.ts';

type Options = { readonly signal: AbortSignal; readonly budget?: TurnBudget | undefined };

/**
 * One question to a model outside the rounds of a turn: text, or JSON that `output` accepts. An answer that does not
 * match goes back to the model with the reasons; after `internalAttemptsMax` answers this throws Fault
 * `OUTPUT_INVALID`. The calling turn pays for every answer, and for the part of an interrupted answer that was
 * received. Once its budget is used up, this throws Refusal `budget_exhausted`.
 */
export async function callModel(
  model: Model,
  { role, prompt, output }: GenerateRequest,
  options: Options,
): Promise<Json> {
  const ask = (text: string) => answerOf(model, { role, text }, options);
  if (!output) return ask(prompt);
  const asked = `${prompt}\n\nAnswer with JSON alone, of this schema:\n${JSON.stringify(output.schema)}`;
  let because = '';
  for (let attempt = 1; attempt <= internalAttemptsMax; attempt += 1) {
    const answer = await ask(because === '' ? asked : `${asked}\n\n${because}`);
    const read = await readAnswer(answer, output);
    if (read.ok) return read.value;
    because = `Your last answer did not fit: ${read.because}\nIt was:\n${answer}`;
  }
  throw new Fault('OUTPUT_INVALID', { because });
}

const system = 'You answer one question of a program. Give the answer alone, nothing around it.';

type Question = { readonly role: GenerateRequest['role']; readonly text: string };

async function answerOf(
  model: Model,
  { role, text }: Question,
  { signal, budget }: Options,
): Promise<string> {
  const request = {
    role,
    system,
    parts: [{ kind: 'text', text } as const],
    maxOutputTokens: outputTokensInternal,
    temperature,
  };
  const inputTokens = () => countTokens(system) + countTokens(text);
  using _room = await budget?.reserve(() => maxCost(model, inputTokens()), { signal });
  const meter = new UsageMeter(model, inputTokens);
  const charge = async () => {
    if (meter.metered) await budget?.charge({ role, ...toWireCall(model, meter.metered) });
  };
  let answer = '';
  try {
    for await (const event of model.stream(request, { signal })) {
      meter.take(event);
      if (event.kind === 'text') answer += event.text;
    }
  } catch (error) {
    await charge().catch(ignoreRefusal);
    throw error;
  }
  await charge();
  return answer.trim();
}

/** Assumes that nothing is cached. */
function maxCost(model: Model, inputTokens: number): Reservation {
  const outputTokens = outputTokensInternal;
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { tokens: inputTokens + outputTokens, costUsd: model.costUsd(usage) };
}

/** An answer that was interrupted after its turn had ended is not charged. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusal(error)) throw error;
}

type ParsedAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly because: string };

async function readAnswer(answer: string, output: AnswerSchema): Promise<ParsedAnswer> {
  const json = parseJson(answer.replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, '$1'));
  if (json === undefined) return { ok: false, because: 'it is not JSON.' };
  const parsed = await output.parse(json);
  return parsed.ok ? { ok: true, value: json } : { ok: false, because: toText(parsed.violations) };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toText(violations: readonly OutputViolation[]): string {
  return violations.map(({ path, message }) => `${path || 'it'}: ${message}`).join('; ');
}
