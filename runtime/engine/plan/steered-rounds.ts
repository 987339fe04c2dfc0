import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { CallView, RoundView, TurnView } from '../../timeline/view.ts';
import { decisionRounds } from './round-budget.ts';

/** The control tool that continues the work after a steer. */
export const planTool = 'react.plan';

/** Rounds opened since the last steer was seen. Undefined: there is none, or a later event or a plan followed it. */
export function steeredRounds(turn: TurnView, roundsTotal: number): number | undefined {
  return isContinued(turn, roundsTotal) ? undefined : sinceSteer(turn)?.length;
}

/**
 * The model planned work after the steer, before the last round of the budget: all tools run again, in all rounds that are
 * left.
 */
export function isContinued(turn: TurnView, roundsTotal: number): boolean {
  const since = sinceSteer(turn) ?? [];
  const planned = since.findIndex(({ calls }) => calls.some(isPlan));
  const used = decisionRounds(turn).length - since.length + planned + 1;
  return planned !== -1 && used < roundsTotal;
}

function sinceSteer(turn: TurnView): readonly RoundView[] | undefined {
  const last = turn.events.findLast((event) => isReactive(event));
  if (last?.type !== 'external.steer') return undefined;
  return decisionRounds(turn).filter((round) => round.asOf >= last.seq);
}

function isPlan({ tool, request, result }: CallView): boolean {
  if (tool !== planTool || !result || dataOf('react.tool.result', result)?.ok !== true)
    return false;
  return dataOf('react.tool.call', request)?.input['mode'] !== 'close';
}

function isReactive({ type }: Block): boolean {
  return type === 'user.prompt' || type.startsWith('external.');
}
