import type { Draft } from '../../../timeline/block.ts';
import { directPhase } from '../../../timeline/prompt-rounds.ts';
import type { DirectStep } from '../../plan/plan-direct.ts';
import { nextCall } from '../../reply/accept-actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { newEventsIn } from '../ask/round-opening.ts';

/** Opens the round of a call that its caller chose: the call is recorded like the decision of a model. */
export async function openDirectRound(
  { turn, conversation, engine, now }: WorkerSession,
  { call: { tool, input } }: DirectStep,
): Promise<void> {
  const { view } = conversation;
  const asOf = view.head;
  const common = { turn: turn.id, author: 'system' } as const;
  const action = { kind: 'call_tool', call: nextCall(engine), tool, input, notes: '' };
  const opening = { round: 1, as_of: asOf, now, phase: directPhase };
  const drafts: readonly Draft[] = [
    { type: 'round.open', ...common, data: { ...opening, landed: newEventsIn(view, turn, asOf) } },
    { type: 'model.call', ...common, data: { actions: [action] } },
  ];
  await conversation.append(drafts, { expectHead: asOf });
}
