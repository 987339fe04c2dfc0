import { brief } from '../../../timeline/render/text.ts';
import { shownTools } from '../../agent/visible-agent.ts';
import { hintCharsMax, hintsMax } from '../../limits.ts';
import { failTurn } from '../../plan/plan.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import type { WorkerSession } from '../../session/session.ts';
import { closeTurn } from '../close/close-turn.ts';
import { hideForgotten } from '../recall/hide-forgotten.ts';
import { recalledRows } from '../recall/recalled-rows.ts';
import type { RoundHints } from './announcement.ts';

/**
 * Asks the memory and the hooks before a model is asked. Undefined: the view has changed, or a guard refused and the turn is
 * closed.
 */
export async function admitReasoning(
  session: WorkerSession,
  { round, phase }: { readonly round: number; readonly phase: AskStep['phase'] | 'answer' },
): Promise<RoundHints | undefined> {
  if (await hideForgotten(session)) return undefined;
  const memory = await recalledRows(session);
  const { agent, conversation, turn } = session;
  const stated = [
    ...(agent.hint === undefined ? [] : [agent.hint]),
    ...(phase === 'answer' ? [] : shownTools(agent)).flatMap(({ spec: { id, hint } }) =>
      hint === undefined ? [] : [`${id}: ${hint}`],
    ),
  ];
  if (!agent.hooks?.reasoning) return { hints: bounded(stated), failed: [], memory };
  const { user, id } = conversation.lease.row;
  const asking = { user, conversation: id, signal: conversation.signal };
  const admitted = await agent.hooks.reasoning({ round, phase, hints: stated }, asking);
  if (!admitted.ok) {
    const { code, message } = admitted.error;
    const { head } = conversation.view;
    await closeTurn(session, failTurn(turn, { error: { code, message }, head }));
    return undefined;
  }
  return { hints: bounded(admitted.value), failed: admitted.failed, memory };
}

function bounded(hints: readonly string[]): readonly string[] {
  return hints
    .map((hint) => brief(hint, hintCharsMax))
    .filter((hint) => hint !== '')
    .slice(0, hintsMax);
}
