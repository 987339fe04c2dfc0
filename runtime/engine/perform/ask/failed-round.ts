import { createHash } from 'node:crypto';
import { toWire } from '../../../base/fault.ts';
import type { Draft } from '../../../timeline/block.ts';
import { modelRetryMs } from '../../limits.ts';
import { toWireCall } from '../../model/usage.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import { breaksInRow, brokenOff } from '../../plan/round-end.ts';
import type { ModelRole } from '../../ports/model.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import type { ModelFailure } from './generate.ts';

type FailedPlace = Pick<AskStep, 'round'> & { readonly role?: ModelRole };

/**
 * The plan retries or closes the turn based on this block. Users see the fault's text, developers the provider's, too;
 * the log has all of it.
 */
export function failedRound(
  { turn, engine }: Pick<WorkerSession, 'turn' | 'engine'>,
  { round, role = 'decision' }: FailedPlace,
  { fault, brokeOff, metered, model }: ModelFailure,
): readonly Draft[] {
  const forDeveloper = engine.showsProviderErrors || fault.code === 'SCRIPT_MISMATCH';
  const error = { ...toWire(fault), ...(forDeveloper ? { message: fault.message } : {}) };
  const used = metered ? [{ role, ...toWireCall(model, metered), unread: true }] : [];
  const end = brokeOff ? { outcome: 'interrupted', cause: brokenOff } : { outcome: 'failed' };
  const common = { turn: turn.id, author: 'system' } as const;
  return [
    ...used.map((data) => ({ type: 'model.call', ...common, data })),
    { type: 'round.close', ...common, data: { round, ...end, error } },
  ];
}

/** Waits before a retry after the provider broke off. Jitter keeps turns from retrying all at once. */
export async function pauseAfterBreak(session: WorkerSession): Promise<void> {
  const { turn, engine } = session;
  const breaks = breaksInRow(turn);
  if (breaks === 0) return;
  const jitter =
    createHash('sha256').update(`${turn.id} ${breaks}`).digest().readUInt16BE() / 65_536;
  using work = session.interruptible(turn.rounds.at(-1)?.asOf ?? 0);
  const { signal } = work;
  try {
    await engine.clock.sleep(modelRetryMs * 2 ** (breaks - 1) * (0.5 + jitter), { signal });
  } catch (error) {
    if (!isSteered(signal)) throw error;
  }
}
