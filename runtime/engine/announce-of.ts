import type { AgentSettings } from '../sdk/agent-settings.ts';
import { feedbackLine } from '../timeline/feedback.ts';
import { announce } from '../timeline/render/announce.ts';
import type { Step } from './plan.ts';
import type { Visit } from './visit.ts';
import { workspaceOf } from './workspace.ts';

type Ask = Extract<Step, { do: 'ask' }>;

/** The board of one round: what the view says, and what only its owner knows. */
export function announceOf(visit: Visit, { phase, budget, round }: Ask): string {
  const { agent, turn } = visit;
  const fanout = agent.policies.multiAction === 'safe_fanout' ? agent.budgets.actionsPerRound : 1;
  return announce(visit.owned.view, {
    now: visit.now,
    round,
    budget,
    phase,
    elapsedMs: Math.max(0, visit.engine.clock.now() - Date.parse(turn.openedAt)),
    caps: { actionsPerRound: fanout, programs: programsOf(agent) },
    inactiveTools: agent.inactiveTools,
    workspace: workspaceOf(visit.owned.view),
    feedback: visit.owned.view.feedback.map(feedbackLine),
    notices: agent.notices ?? [],
  });
}

/** Whether a program would run; where none would, why, and what to do about it. */
function programsOf({ tools }: AgentSettings): boolean | string {
  const exec = tools.filter(({ spec }) => spec.kind === 'exec');
  const reasons = exec.flatMap(({ spec }) => spec.unavailable ?? []);
  if (exec.length > reasons.length) return true;
  return reasons[0] === undefined ? false : `none here; ${reasons[0]}`;
}
