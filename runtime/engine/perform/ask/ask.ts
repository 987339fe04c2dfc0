import type { BlobRef } from '../../../timeline/block.ts';
import { familyOf } from '../../../timeline/render/form.ts';
import { tokensOf, toWireUsage } from '../../model/usage.ts';
import { type AskStep, isLastRound } from '../../plan/plan-ask.ts';
import { blocksFromReply, type Carry } from '../../reply/blocks-from-reply.ts';
import type { GeneratedReply } from '../../reply/generated-reply.ts';
import type { WorkerSession } from '../../session/session.ts';
import { admitReasoning } from './admit-reasoning.ts';
import { failedRound, pauseAfterBreak } from './failed-round.ts';
import { generate } from './generate.ts';
import { buildPrompt } from './prompt.ts';
import { reserveSpending } from './reserve-spending.ts';
import { openingBlocks } from './round-opening.ts';
import { roundRules } from './round-rules.ts';
import { setTitle } from './set-title.ts';

/**
 * One round's question to the model. The inputs are on the log before the call; the result is appended at once after
 * it.
 */
export async function askModel(session: WorkerSession, step: AskStep): Promise<void> {
  await pauseAfterBreak(session);
  const admitted = await admitReasoning(session, step);
  if (!admitted) return;
  const prompt = await buildPrompt(session, step, admitted);
  using room = await reserveSpending(session, 'decision', prompt.tokens);
  if (!room) return;
  const opening = openingBlocks(session.conversation.view, { step, prompt });
  // Events that arrived or were taken back since then belong in the prompt, or out of it: plan again.
  const opened = await session.conversation.append(opening, { expectHead: prompt.asOf });
  if (opened.status === 'moved') return;
  if (step.round === 1) await setTitle(session, session.turn);
  using work = session.interruptible(prompt.asOf);
  const { signal } = work;
  const rules = roundRules(session, prompt.protocol);
  const asking = { prompt, rules, round: step.round, phase: step.phase, signal };
  const generated = await generate(session, asking);
  if ('fault' in generated) {
    const { fault: error } = generated;
    session.engine.log.warn('the model failed', { turn: session.turn.id, error });
    await session.conversation.append(failedRound(session, step, generated));
    return;
  }
  const reply = await keepReply(session, generated);
  const carry = await keepCarry(session, generated);
  const last = isLast(session, generated);
  const { round } = step;
  await session.conversation.append(
    blocksFromReply(session, { generated, reply, carry, rules, round, last, keepsShown: true }),
  );
}

/** No further round will follow: this reply must serve as the answer. */
function isLast(session: WorkerSession, { usage, costUsd }: GeneratedReply): boolean {
  const tokens = tokensOf(toWireUsage(usage, costUsd));
  const inputs = { ...session.planInputs(), head: session.conversation.view.head };
  return isLastRound(session.turn, inputs, { tokens, costUsd });
}

/** Stores the reply word for word, so that its blocks can be rebuilt and compared. */
export async function keepReply(
  session: WorkerSession,
  { raw }: Pick<GeneratedReply, 'raw'>,
): Promise<BlobRef | undefined> {
  if (raw === '') return undefined;
  const { lease, signal } = session.conversation;
  return session.engine.blobs.put(lease.row.tenant, Buffer.from(raw), { signal });
}

/** Stores the reasoning that the provider requires back, for models of the same family. */
async function keepCarry(
  session: WorkerSession,
  { carry }: Pick<GeneratedReply, 'carry'>,
): Promise<Carry | undefined> {
  if (carry.length === 0) return undefined;
  const { conversation, engine, agent } = session;
  const bytes = Buffer.from(
    JSON.stringify(carry.map(({ provider, item }) => ({ provider, item }))),
  );
  const { lease, signal } = conversation;
  const blob = await engine.blobs.put(lease.row.tenant, bytes, { signal });
  return { family: familyOf(engine.model(agent, agent.decides).id), blob };
}
