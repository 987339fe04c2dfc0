import type { Draft } from '../../../timeline/block.ts';
import type { TurnId } from '../../../timeline/ids.ts';
import { answerPhase } from '../../../timeline/prompt-rounds.ts';
import type { AnswerStep } from '../../plan/plan-answer.ts';
import { answerBlocks } from '../../reply/answer-blocks.ts';
import type { WorkerSession } from '../../session/session.ts';
import { admitReasoning } from '../ask/admit-reasoning.ts';
import { keepReply } from '../ask/ask.ts';
import { failedRound, pauseAfterBreak } from '../ask/failed-round.ts';
import type { Prompt } from '../ask/prompt.ts';
import { reserveSpending } from '../ask/reserve-spending.ts';
import { answerPrompt } from './answer-prompt.ts';
import { generateAnswer } from './generate-answer.ts';
import { StopOnEvent } from './stop-on-event.ts';

/** A round that writes the answer of its turn from the record of the work. An event that arrives meanwhile ends it. */
export async function writeAnswer(session: WorkerSession, { round }: AnswerStep): Promise<void> {
  await pauseAfterBreak(session);
  const admitted = await admitReasoning(session, { round, phase: answerPhase });
  if (!admitted) return;
  const prompt = await answerPrompt(session, admitted.hints);
  using room = await reserveSpending(session, 'answer', prompt.tokens);
  if (!room) return;
  const held = session.agent.hooks?.completion !== undefined;
  const { asOf } = prompt;
  const open = opening(session.turn.id, { round, held, prompt });
  const opened = await session.conversation.append([open], { expectHead: asOf });
  if (opened.status === 'moved') return;
  using work = session.interruptible(asOf);
  using _events = new StopOnEvent(session, { work, asOf });
  const generated = await generateAnswer(session, { prompt, round, held, signal: work.signal });
  if ('fault' in generated) {
    const { fault: error } = generated;
    session.engine.log.warn('the answer model failed', { turn: session.turn.id, error });
    const place = { round, role: 'answer' } as const;
    await session.conversation.append(failedRound(session, place, generated));
    return;
  }
  const reply = await keepReply(session, generated);
  await session.conversation.append(answerBlocks(session, { generated, reply, round }));
}

type Opening = { readonly round: number; readonly held: boolean; readonly prompt: Prompt };

function opening(turn: TurnId, { round, held, prompt }: Opening): Draft {
  const { asOf, now, record } = prompt;
  const own = held ? { held } : {};
  const data = { round, as_of: asOf, now, phase: answerPhase, ...own, landed: [], ...record };
  return { type: 'round.open', turn, author: 'system', data };
}
