import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { tokensOf } from '../../../timeline/compact/compact.ts';
import { feedbackLine } from '../../../timeline/feedback.ts';
import { announce } from '../../../timeline/render/announce.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { announcedForm } from '../../agent/instruction-texts/announced-form.ts';
import { actionsMaxOf } from '../../agent/multi-action.ts';
import { roomOf } from '../../agent/prompt-room.ts';
import type { ProtocolChoice } from '../../agent/protocol-choice.ts';
import { contextShownPercent } from '../../limits.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import type { WorkerSession } from '../../session/session.ts';
import { inactiveRows } from './inactive-rows.ts';
import { workspaceRows } from './workspace-text.ts';

/** What the agent, its tools and its hooks add to the prompt of one round. */
export type RoundHints = {
  readonly hints: readonly string[];
  /** Hooks that failed. */
  readonly failed: readonly string[];
  /** Facts of the long-term memory. */
  readonly memory: readonly string[];
};

type AnnounceParts = { readonly choice: ProtocolChoice; readonly hints: RoundHints };

/** ANNOUNCE of one round: state of the view, plus what only the owner knows. */
export function announcement(
  session: WorkerSession,
  { phase, cause, budget, mustComplete, resumable }: AskStep,
  { choice: { protocol, from }, hints }: AnnounceParts,
): string {
  const { agent, turn } = session;
  const { view } = session.conversation;
  return announce(view, {
    now: session.now,
    round: budget.used + 1,
    budget,
    phase,
    ...(cause ? { cause } : {}),
    ...(mustComplete ? { mustComplete } : {}),
    ...(resumable ? { resumable } : {}),
    ...fillOf(session),
    elapsedMs: Math.max(0, session.engine.clock.now() - Date.parse(turn.openedAt)),
    caps: { actionsPerRound: announcedActions(agent, protocol), ...programsOf(agent) },
    inactiveTools: inactiveRows(agent),
    workspace: workspaceRows(view),
    memory: hints.memory,
    feedback: view.feedback.map((row) => feedbackLine(row, shortNames(view))),
    notices: [
      ...(agent.notices ?? []),
      ...(from === undefined ? [] : [protocolChanged]),
      ...hints.failed,
    ],
    hints: hints.hints,
    ...formOf(protocol, agent),
  });
}

/** From half of the context on, so that a model knows when saving room is of use. */
function fillOf({ engine, agent, conversation: { view } }: WorkerSession): {
  readonly contextPercent?: number;
} {
  const percent = Math.floor((100 * tokensOf(view)) / roomOf(engine, agent, view).room);
  return percent < contextShownPercent ? {} : { contextPercent: percent };
}

/** A model is taught to write one object, although several are read. */
function announcedActions(agent: AgentSettings, protocol: Protocol): number {
  return protocol === 'json' || protocol === 'plain' ? 1 : actionsMaxOf(agent, protocol);
}

function formOf(
  protocol: Protocol,
  { output }: AgentSettings,
): Pick<Parameters<typeof announce>[1], 'form'> {
  const form = announcedForm(protocol, { hasOutput: output !== undefined });
  return form ? { form } : {};
}

const protocolChanged =
  'Several of your replies could not be used, so replies now have another form: the one at the top of this prompt.';

/** If the agent has exec tools and none of them can run: why, and what to do about it. */
function programsOf({ tools }: AgentSettings): { readonly programs?: string } {
  const exec = tools.filter(({ spec }) => spec.kind === 'exec');
  const reasons = exec.flatMap(({ spec }) => spec.unavailable ?? []);
  const [reason] = reasons;
  if (reason === undefined || exec.length > reasons.length) return {};
  return { programs: `none here; ${reason}` };
}
