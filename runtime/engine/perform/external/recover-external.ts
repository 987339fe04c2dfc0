import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { closeApproval, isInDoubt, settle } from '../../../timeline/close/close-turn.ts';
import { approvalWait, waitOf } from '../../../timeline/close/waits.ts';
import { paths } from '../../../timeline/paths.ts';
import type { CallView } from '../../../timeline/view.ts';
import { inDoubtNotice } from '../../../tools/results/in-doubt.ts';
import { firstSteer } from '../../plan/plan-call.ts';
import { decidedOutcome } from '../../plan/plan-question.ts';
import { handedOver } from '../../plan/round-end.ts';
import type { WorkerSession } from '../../session/session.ts';
import { roundClose } from '../close/close-turn.ts';
import { undeliveredCode } from './undelivered-decisions.ts';

/**
 * Ends a round whose program no longer runs: open questions get the decision that arrived meanwhile, calls that had begun are
 * reported as in doubt, and the next round continues with what is on the log.
 */
export async function recoverExternal(session: WorkerSession): Promise<void> {
  const { conversation, turn, now } = session;
  const waiting = openCalls(session).filter((call) => waitOf(call)?.for === 'approval');
  const steer = lastRoundSteer(session);
  const decided = waiting.flatMap((call) => [
    ...closeApproval(call, { outcome: outcomeOf(call, { steer, session }) }),
    notBegun(call),
  ]);
  const doubts = openCalls(session)
    .filter(isInDoubt)
    .map(({ call, tool }) =>
      inDoubtNotice({ turn: turn.id, call }, [{ id: call, tool, effects: 'unkeyed' }]),
    );
  if (decided.length + doubts.length > 0) await conversation.append([...doubts, ...decided]);
  const settled = settle(conversation.view, { reason: 'interrupted', now });
  const results = settled.filter(({ type }) => type !== 'round.close');
  // A round that only waited for a decision was not lost.
  const cause = decided.length > 0 ? { cause: handedOver } : {};
  await conversation.append([...results, roundClose(session.turn, 'interrupted', cause)]);
}

function openCalls({ turn }: WorkerSession): readonly CallView[] {
  return (turn.rounds.at(-1)?.calls ?? []).filter(({ result }) => !result);
}

function lastRoundSteer({ turn }: WorkerSession) {
  const round = turn.rounds.at(-1);
  return round && firstSteer(turn, round);
}

type Decided = { readonly steer: ReturnType<typeof firstSteer>; readonly session: WorkerSession };

function outcomeOf({ approval }: CallView, { steer, session }: Decided) {
  const wait = approval && approvalWait(approval);
  const now = session.engine.clock.now();
  return (wait && decidedOutcome(wait, { steer, now })) ?? 'interrupted';
}

/** Its program was ended before it learned the decision. */
function notBegun({ call, request }: CallView): Draft {
  const title = dataOf('react.tool.call', request)?.tool ?? '';
  const message = `${title} had not begun: its program was stopped while it waited for the decision.`;
  return {
    type: 'react.tool.result',
    turn: request.turn,
    author: 'tool',
    call,
    path: paths.result(request.turn, call),
    text: `${undeliveredCode}: ${message}`,
    data: { ok: false, error: { code: undeliveredCode, message, retryable: true } },
  };
}
