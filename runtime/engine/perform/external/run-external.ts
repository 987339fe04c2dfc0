import type { Draft } from '../../../timeline/block.ts';
import { externalPhase } from '../../../timeline/prompt-rounds.ts';
import { agentKey } from '../../agent/visible-agent.ts';
import type { RunExternalStep } from '../../plan/plan-ask.ts';
import { handedOver } from '../../plan/round-end.ts';
import type { ExternalAgent } from '../../ports/external-agent.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import { pauseAfterBreak } from '../ask/failed-round.ts';
import { newEventsIn } from '../ask/round-opening.ts';
import { setTitle } from '../ask/set-title.ts';
import { roundClose } from '../close/close-turn.ts';
import { failedRound } from './end-round.ts';
import { externalPrompt } from './external-prompt.ts';
import { ExternalRound } from './external-round.ts';
import { openProgram } from './open-program.ts';

/**
 * One round of an agent program: a prompt, and everything that the program does with it. A steer stops it, and the next
 * round is the next prompt.
 */
export async function runExternal(
  session: WorkerSession,
  { round }: RunExternalStep,
): Promise<void> {
  await pauseAfterBreak(session);
  const { conversation, turn, now } = session;
  const asOf = conversation.view.head;
  const prompted = conversation.view;
  const opening: Draft = {
    type: 'round.open',
    turn: turn.id,
    author: 'system',
    data: {
      round,
      as_of: asOf,
      now,
      phase: externalPhase,
      landed: newEventsIn(prompted, turn, asOf),
    },
  };
  // Events that arrived since then belong in the prompt: plan again.
  const opened = await conversation.append([opening], { expectHead: asOf });
  if (opened.status === 'moved') return;
  if (round === 1) await setTitle(session, turn);
  using work = session.interruptible(asOf);
  try {
    const { program, isStarted } = await openProgram(session, work);
    if (isStarted) await conversation.append([sessionBlock(session, program)]);
    const isResumed = program.isResumed || !isStarted;
    const prompt = externalPrompt(prompted, turn, { isResumed });
    const place = { turn: turn.id, round };
    await new ExternalRound(session, { place, work }).run(program, prompt);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    conversation.signal.throwIfAborted();
    // The program had not begun yet.
    if (isSteered(work.signal)) {
      await conversation.append([roundClose(session.turn, 'interrupted', { cause: handedOver })]);
      return;
    }
    session.engine.log.warn('an agent program failed', { turn: turn.id, error });
    await conversation.append(failedRound(session, error));
  }
}

function sessionBlock({ turn, agent }: WorkerSession, program: ExternalAgent): Draft {
  const { session, isResumed, about } = program;
  return {
    type: 'agent.session',
    turn: turn.id,
    author: 'system',
    data: {
      agent: agentKey(agent),
      program: `${about.name} ${about.version}`.trim(),
      ...{ session, resumed: isResumed },
    },
  };
}
