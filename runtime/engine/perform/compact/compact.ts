import type { Draft } from '../../../timeline/block.ts';
import { endCompaction } from '../../../timeline/close/end-compaction.ts';
import {
  type Compaction,
  compact as compactView,
  tokensOf,
} from '../../../timeline/compact/compact.ts';
import { type Cut, chooseCut, summaryAllowance } from '../../../timeline/compact/cut.ts';
import type { TurnId } from '../../../timeline/ids.ts';
import { cacheBreak } from '../../../timeline/render/cache-break.ts';
import { roomOf } from '../../agent/prompt-room.ts';
import { summaryFrameTokens } from '../../limits.ts';
import type { CompactStep } from '../../plan/plan-compact.ts';
import type { WorkerSession } from '../../session/session.ts';
import { summariseCut } from './summary-text.ts';

/** Written only if the log is unchanged since the plan; otherwise the next plan decides. */
export async function appendPruning(
  { conversation }: WorkerSession,
  { drafts }: { readonly drafts: readonly Draft[] },
): Promise<void> {
  await conversation.append(drafts, { expectHead: conversation.view.head });
}

/**
 * Replaces the oldest turns and rounds by a memory. The start is on the log, so that a takeover can end it. Events
 * that arrive while the summary is made are in the next round's prompt as usual. Either the prompt gets smaller, or
 * the log records that nothing was changed, and why.
 */
export async function compact(
  session: WorkerSession,
  { cause, forced }: CompactStep,
): Promise<void> {
  const { room, recentTurns } = roomOf(session.engine, session.agent, session.conversation.view);
  const tokens = tokensOf(session.conversation.view);
  const { turn } = session;
  const common = { cause, forced, room, max_tokens: session.agent.context.maxTokens };
  await session.conversation.append([open(turn.id, { ...common, tokens })]);
  const of = session.conversation.view.head;
  const ended = (data: Record<string, string | number>) =>
    close(turn.id, { ...common, of, tokens_before: tokens, tokens_after: tokens, ...data });
  const cut = chooseCut(session.conversation.view, { room, recentTurns, forced });
  if (!cut) {
    await session.conversation.append([ended({ status: 'skipped', reason: 'nothing_to_cover' })]);
    return;
  }
  const inputs = { cut, cause, room, now: session.now };
  // Do not pay for a summary that cannot help.
  const least = compactView(session.conversation.view, session.turn, {
    ...inputs,
    summary: '',
    progress: '',
  });
  if (least.after >= least.before) {
    await session.conversation.append([ended({ status: 'skipped', reason: 'no_token_reduction' })]);
    return;
  }
  const tokensMax = summaryTokensOf(cut, { ...least, room });
  const { usage, ...texts } = await summariseCut(session, cut, { room, tokensMax });
  const { how, ...words } = texts;
  const made = compactView(session.conversation.view, session.turn, { ...inputs, ...words });
  if (made.after >= made.before) {
    const data = { status: 'skipped', reason: 'no_token_reduction', tokens_after: made.after };
    await session.conversation.append([...usage, ended({ ...data, tokens_after: made.before })]);
    return;
  }
  const done = ended({ status: 'completed', how, kind: kindOf(cut), ...countsOf(cut, made) });
  const broken = cacheBreak({ turn: turn.id, cause: 'compact', tokens: made.after });
  await session.conversation.append([...usage, made.draft, broken, done], { window: made.window });
}

/** Tokens of each summary with which the prompt still gets smaller. */
function summaryTokensOf(
  { turns, rounds }: Cut,
  { before, after, room }: Pick<Compaction, 'before' | 'after'> & { readonly room: number },
): number {
  const summaries = Math.min(turns.length, 1) + Math.min(rounds, 1);
  const left = before - after - summaryFrameTokens;
  return Math.min(summaryAllowance(room), Math.max(0, Math.floor(left / Math.max(1, summaries))));
}

/** Ends a compaction whose owner was lost. */
export async function endLostCompaction(session: WorkerSession): Promise<void> {
  await session.conversation.append(endCompaction(session.turn, 'interrupted'));
}

function open(turn: TurnId, data: Record<string, string | number | boolean>): Draft {
  return { type: 'compact.open', turn, author: 'system', data };
}

function close(turn: TurnId, data: Record<string, string | number | boolean>): Draft {
  return { type: 'compact.close', turn, author: 'system', data };
}

function kindOf({ turns, rounds }: Cut): string {
  if (turns.length === 0) return 'current_turn_prefix';
  return rounds === 0 ? 'history' : 'history_with_split_turn';
}

function countsOf({ turns, rounds }: Cut, { before, after }: Compaction) {
  return { turns: turns.length, rounds, tokens_before: before, tokens_after: after };
}
