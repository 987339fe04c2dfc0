import type { Ids } from '../../../base/ids.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { grantable } from '../host/exec-host.ts';
import { inDoubtNotices, outcomesText, resolveInDoubt } from '../host/resolve-in-doubt.ts';
import { inDoubt, programCalls } from './exec-outcome.ts';

type Parts = { readonly ids: Ids; readonly signal: AbortSignal };

/** A program whose worker died is not run again; the outcomes of its calls are resolved and reported. */
export async function recoverProgram(
  context: CallContext,
  { ids, signal }: Parts,
): Promise<ToolOutcome> {
  const { journal } = context;
  const known = (await journal?.calls()) ?? [];
  const counted = recountCalls(known, context);
  const calls = known.filter(({ effects }) => effects !== 'none');
  const granted = grantable(context.programs?.tools ?? []);
  const outcomes = await resolveInDoubt(calls, { context, granted, ids, signal });
  await journal?.[Symbol.asyncDispose]();
  const message =
    calls.length === 0 ? `${workerLost} No call with an effect had begun.` : workerLost;
  const preview = [message, outcomesText(outcomes)].filter((text) => text !== '').join('\n\n');
  return {
    result: {
      ok: false,
      error: { code: 'interrupted', message, retryable: calls.length === 0 },
      ret: { calls_total: known.length, ...inDoubt(outcomes) },
    },
    blocks: inDoubtNotices(outcomes, context),
    preview: `interrupted: ${preview}`,
    ...programCalls(counted),
  };
}

/** The counts of the lost worker are gone, so the calls are counted again. */
function recountCalls(
  calls: readonly ProgramCall[],
  { programCalls: counts }: CallContext,
): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const { tool } of calls) {
    for (const each of [counted, counts]) each?.set(tool, (each.get(tool) ?? 0) + 1);
  }
  return counted;
}

const workerLost =
  'The worker was lost while this program ran; the user did not stop it. Its output and files are lost, and it was not run again.';
