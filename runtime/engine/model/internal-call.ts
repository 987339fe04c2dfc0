import type { Json } from '../../base/json.ts';
import type { GenerateRequest } from '../../sdk/compile/host/bundle-host.ts';
import type { Model } from '../ports/model.ts';
import { type CallOptions, meteredCall } from './metered-call.ts';
import { structuredCall } from './structured-call.ts';

const system = 'You answer one question of a program. Give the answer alone, nothing around it.';

/**
 * One question of a bundle to a model: text, or JSON that `output` accepts (Fault `OUTPUT_INVALID` without it). Once
 * the budget is used up, this throws Refusal `budget_exhausted`.
 */
export async function callModel(
  model: Model,
  { role, prompt, output }: GenerateRequest,
  options: CallOptions,
): Promise<Json> {
  if (!output) return (await meteredCall(model, { role, system, text: prompt }, options)).text;
  const { raw = null } = await structuredCall(model, { role, prompt, output }, options);
  return raw;
}
