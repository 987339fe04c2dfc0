import type { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import type { TurnBudget } from '../../../tools/ports/turn-budget.ts';
import type { Context, Ids } from '../../define/context.ts';
import type { RoleName } from '../../define/model.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { toOutputSchema } from '../validate/zod-schema.ts';

type GenerateContext = {
  readonly ids: Ids;
  readonly signal: AbortSignal;
  readonly budget?: TurnBudget | undefined;
};
type Generation = { role?: string; prompt: string };
/** `ctx.generate`: one internal model call. */
export function createGenerate(
  { host }: LoadedBundle,
  { ids, signal, budget }: GenerateContext,
): Context['generate'] {
  function generate(request: Generation): Promise<string>;
  function generate<T>(request: Generation & { output: z.ZodType<T> }): Promise<T>;
  async function generate(request: Generation & { output?: z.ZodType }): Promise<unknown> {
    if (!host.generate) throw new Fault('NOT_AVAILABLE', { because: 'ctx.generate' });
    const { output, prompt, role = 'small' } = request;
    const asked = { role: toRole(role), prompt, ...(output && { output: toOutputSchema(output) }) };
    const answer = await host.generate(asked, { ids, signal, budget });
    return output ? output.parseAsync(answer) : answer;
  }
  return generate;
}

const roles: readonly RoleName[] = [
  ...(['decision', 'answer', 'summary', 'selection', 'small', 'reasoning'] as const),
];
function toRole(name: string): RoleName {
  const role = roles.find((known) => known === name);
  if (role) return role;
  throw new Fault('BUNDLE_INVALID', {
    because: `unknown model role “${name}”; use one of ${roles.join(', ')}`,
  });
}
