import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { RoundView } from '../../timeline/view.ts';
import type { ToolAction } from './actions.ts';
import { finalizeCode } from './plan-ask.ts';
import type { TurnError } from './round-end.ts';

/** Whether a failed call ends its turn. */
export type FailurePolicy = 'continue' | 'fail';

/** The first call of the round whose failure ends the turn. */
export function endingFailure(
  round: RoundView,
  policyOf: (tool: string) => FailurePolicy,
): TurnError | undefined {
  for (const { tool, result } of round.calls) {
    const data = result?.data;
    const error = isJsonObject(data) && data['ok'] === false ? data['error'] : undefined;
    if (isJsonObject(error) && !isUnstarted(error) && policyOf(tool) === 'fail') {
      return { code: 'TOOL_FAILED', message: `${tool}: ${String(error['message'])}` };
    }
  }
  return undefined;
}

/** The tool itself did not fail: a steer, a spent budget or an earlier call kept it from running. */
function isUnstarted({ code }: JsonObject): boolean {
  return code === 'interrupted' || code === 'not_executed' || code === finalizeCode;
}

/** A call behind the failed one: recorded, but not executed. */
export function behindFailure(action: ToolAction): ToolAction {
  const declined = `${action.tool} did not run, because an earlier call of the same reply failed.`;
  return { ...action, declined };
}
