import type { Tool, ToolError } from '../../../tools/ports/tool.ts';
import { exhausted } from '../../../tools/ports/turn-budget.ts';
import { hiddenText } from '../../../tools/visibility/hidden-tool.ts';
import { didYouMean } from '../../../tools/visibility/nearest-tools.ts';
import type { VisibleAgent } from '../../agent/visible-agent.ts';
import type { ToolAction } from '../../plan/actions.ts';
import { leftMs } from '../../plan/budget.ts';
import { finalizeCode } from '../../plan/plan-ask.ts';
import { roundBudget } from '../../plan/round-budget.ts';
import { isContinued, planTool, steeredRounds } from '../../plan/steered-rounds.ts';
import type { WorkerSession } from '../../session/session.ts';

export type RequestedCall = {
  readonly action: ToolAction;
  readonly tool: Tool | undefined;
  readonly repeated: boolean;
  /** Number of calls of the same tool that start before it in the same step. */
  readonly ahead: number;
};

/** Why a call does not start, whatever its tool would decide. Undefined: it may start. */
export function callRefusal(
  session: WorkerSession,
  { action, tool, repeated, ahead }: RequestedCall,
): ToolError | undefined {
  const { turn, agent, ledger } = session;
  if (action.declined !== undefined) return notExecutedBecause(action.declined);
  if (!tool) return missingTool(agent, action.tool);
  if (repeated && tool.spec.effects === 'unkeyed' && !tool.recover) return inDoubt;
  const barred = repeated ? undefined : phaseRefusal(session, tool);
  if (barred) return barred;
  const most = tool.spec.callsPerTurn;
  const made = turn.rounds
    .flatMap((round) => round.calls)
    .filter((call) => call.tool === action.tool).length;
  const inPrograms = ledger.programCalls.get(action.tool) ?? 0;
  const before = (repeated ? made - 1 : made) + ahead + inPrograms;
  if (most === undefined || before < most) return undefined;
  const message = `${action.tool} may be called ${most} times a turn and has been; go on without it.`;
  return { code: 'denied', message, retryable: false };
}

/** Only control tools may still run: the turn has no budget left for others. */
function phaseRefusal(session: WorkerSession, tool: Tool): ToolError | undefined {
  if (tool.spec.kind === 'control') return undefined;
  const { turn, budgets } = session;
  const { total } = roundBudget(turn, budgets.rounds);
  const isFinal = turn.rounds.at(-1)?.phase === 'finalize' && !isContinued(turn, total);
  if (isFinal) return onlyControl(session, tool);
  if (!isOutOfTime(session)) return undefined;
  const { code, message } = exhausted('its time is over, and no tool begins any more.');
  return { code, message, retryable: false };
}

function isOutOfTime({ turn, budgets, engine }: WorkerSession): boolean {
  return leftMs(turn, { wallMs: budgets.wallMs, now: engine.clock.now() }) <= 0;
}

export const inDoubt: ToolError = {
  code: 'interrupted',
  message:
    'The worker was lost while this call ran; nobody stopped it. It is in doubt whether it took effect. Check before you repeat it.',
  retryable: false,
};

function notExecutedBecause(message: string): ToolError {
  return { code: 'not_executed', message, retryable: true };
}

/** The tool is hidden, with the way to bring it into view, or it does not exist. */
export function missingTool(
  {
    tools,
    hidden,
    switchedOff = [],
    toolset,
  }: Pick<VisibleAgent, 'tools' | 'hidden' | 'switchedOff' | 'toolset'>,
  tool: string,
): ToolError {
  if (switchedOff.some(({ spec }) => spec.id === tool)) {
    const message = `${tool} is switched off for this turn by the message that opened it. Go on without it.`;
    return { code: 'tool_not_visible', message, retryable: false };
  }
  if (toolset && hidden.some(({ spec }) => spec.id === tool)) {
    return { code: 'tool_not_visible', message: hiddenText(tool, toolset), retryable: false };
  }
  const offered = hidden.filter((each) => !switchedOff.includes(each));
  const ids = [...tools, ...offered].map(({ spec }) => spec.id);
  const message = `There is no tool “${tool}” here. Use an id of # Tools, exactly as it is written there.${didYouMean(tool, ids)}`;
  return { code: 'tool_not_found', message, retryable: false };
}

function onlyControl({ turn, budgets, agent }: WorkerSession, { spec }: Tool): ToolError {
  const { total, used } = roundBudget(turn, budgets.rounds);
  const mayPlan = agent.tools.some((tool) => tool.spec.id === planTool);
  const isSteered = steeredRounds(turn, total) !== undefined;
  const how =
    isSteered && mayPlan && used < total
      ? 'If the steer needs it, call react.plan (mode new) first; then all tools run.'
      : 'Complete with what you have.';
  const message = `${spec.id} did not run: in the phase finalize only react.* tools run. ${how}`;
  return { code: finalizeCode, message, retryable: false };
}
