import type { Tool, ToolError } from '../../../tools/ports/tool.ts';
import { exhausted } from '../../../tools/ports/turn-budget.ts';
import type { ToolAction } from '../../plan/actions.ts';
import { leftMs } from '../../plan/budget.ts';
import { finalizeCode } from '../../plan/plan-ask.ts';
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
  if (!tool)
    return agent.inactiveTools.includes(action.tool)
      ? notVisible(action.tool)
      : notFound(action.tool);
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
  if (session.turn.rounds.at(-1)?.phase === 'finalize') return onlyControl(tool.spec.id);
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

export function notFound(tool: string): ToolError {
  const message = `There is no tool “${tool}” here. Use an id of # Tools, exactly as it is written there.`;
  return { code: 'tool_not_found', message, retryable: false };
}

function onlyControl(tool: string): ToolError {
  const message = `${tool} did not run: in the phase finalize only react.* tools run. Complete with what you have.`;
  return { code: finalizeCode, message, retryable: false };
}

function notVisible(tool: string): ToolError {
  const message = `${tool} is switched off for this turn. Go on without it.`;
  return { code: 'tool_not_visible', message, retryable: false };
}
