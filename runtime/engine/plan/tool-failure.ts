import { isJsonObject } from '../../base/json.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { CallView, RoundView } from '../../timeline/view.ts';
import type { ToolAction } from './actions.ts';
import { finalizeCode } from './plan-ask.ts';
import type { TurnError } from './round-end.ts';

/** What follows a failed call: the model reads the error, the turn fails, or a person decides which of the two. */
export type FailurePolicy = 'continue' | 'fail' | 'escalate';
export type FailurePolicies = { onFailure(tool: string): FailurePolicy };

/** The first call of the round whose failure ends the turn. */
export function endingFailure(
  round: RoundView,
  { onFailure }: FailurePolicies,
): TurnError | undefined {
  for (const call of round.calls) {
    const error = failureOf(call);
    const policy = onFailure(call.tool);
    if (error && (policy === 'fail' || (policy === 'escalate' && isDenied(call)))) {
      return { code: 'TOOL_FAILED', message: `${call.tool}: ${error.message}` };
    }
  }
  return undefined;
}

/** Whether a person must decide about the failure. Nobody is asked about a call that never ran. */
export function needsDecision(call: CallView, { onFailure }: FailurePolicies): boolean {
  const error = failureOf(call);
  return error !== undefined && !refusals.has(error.code) && onFailure(call.tool) === 'escalate';
}

type Failure = { readonly code: string; readonly message: string };

/** The error of a failed call. Undefined: it succeeded, or a steer, the phase or an earlier call kept it from running. */
export function failureOf({ result }: CallView): Failure | undefined {
  const data = result?.data;
  const error = isJsonObject(data) && data['ok'] === false ? data['error'] : undefined;
  if (!isJsonObject(error)) return undefined;
  const code = String(error['code']);
  return unstarted.has(code) ? undefined : { code, message: String(error['message']) };
}

const unstarted: ReadonlySet<string> = new Set(['interrupted', 'not_executed', finalizeCode]);
/** The call was refused before its tool ran. */
const refusals: ReadonlySet<string> = new Set([
  ...['denied', 'invalid_input', 'tool_not_found', 'tool_not_visible', 'budget_exhausted'],
]);

/** A person decided against going on, or nobody decided in time. */
function isDenied({ escalation }: CallView): boolean {
  const outcome = escalation?.closed && dataOf('approval.close', escalation.closed)?.outcome;
  return outcome === 'denied' || outcome === 'expired';
}

/** A call behind the failed one: recorded, but not executed. */
export function behindFailure(action: ToolAction): ToolAction {
  const declined = `${action.tool} did not run, because an earlier call of the same reply failed.`;
  return { ...action, declined };
}
