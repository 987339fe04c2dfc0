import type { Draft } from '../../../timeline/block.ts';
import { endCompaction } from '../../../timeline/close/end-compaction.ts';
import {
  type Compaction,
  compact as compactView,
  tokensOf,
} from '../../../timeline/compact/compact.ts';
import { type Cut, chooseCut } from '../../../timeline/compact/cut.ts';
import { cacheBreak } from '../../../timeline/render/cache-break.ts';
import { roomOf } from '../../agent/prompt-room.ts';
import type { CompactStep } from '../../plan/plan-compact.ts';
import type { Visit } from '../../session/session.ts';
import { tellWhatGoes } from './summary-text.ts';

/**
 * Puts a memory in the place of the oldest turns and rounds. It is begun on record, so that a take-over can end it;
 * events go on arriving while the summary is made, and are in the next round's prompt like any other. Either the
 * prompt is smaller afterwards, or the log says that nothing was changed, and why.
 */
export async function compact(visit: Visit, { cause, forced }: CompactStep): Promise<void> {
  const { room, recentTurns } = roomOf(visit.engine, visit.agent);
  const tokens = tokensOf(visit.owned.view);
  const { turn } = visit;
  const common = { cause, forced, room, max_tokens: visit.agent.context.maxTokens };
  await visit.owned.append([open(turn.id, { ...common, tokens })]);
  const of = visit.owned.view.head;
  const ended = (data: Record<string, string | number>) =>
    close(turn.id, { ...common, of, tokens_before: tokens, tokens_after: tokens, ...data });
  const cut = chooseCut(visit.owned.view, { room, recentTurns, forced });
  if (!cut) {
    await visit.owned.append([ended({ status: 'skipped', reason: 'nothing_to_cover' })]);
    return;
  }
  const inputs = { cut, cause, room, now: visit.now };
  // Nobody is paid for a summary that cannot help.
  const least = compactView(visit.owned.view, visit.turn, { ...inputs, summary: '', progress: '' });
  if (least.after >= least.before) {
    await visit.owned.append([ended({ status: 'skipped', reason: 'no_token_reduction' })]);
    return;
  }
  const { usage, ...texts } = await tellWhatGoes(visit, cut, room);
  const { how, ...words } = texts;
  const made = compactView(visit.owned.view, visit.turn, { ...inputs, ...words });
  if (made.after >= made.before) {
    const data = { status: 'skipped', reason: 'no_token_reduction', tokens_after: made.after };
    await visit.owned.append([...usage, ended({ ...data, tokens_after: made.before })]);
    return;
  }
  const done = ended({ status: 'completed', how, kind: kindOf(cut), ...countsOf(cut, made) });
  const broken = cacheBreak({ turn: turn.id, cause: 'compact', tokens: made.after });
  await visit.owned.append([...usage, made.draft, broken, done], { window: made.window });
}

/** The owner that began it is gone. */
export async function endLostCompaction(visit: Visit): Promise<void> {
  await visit.owned.append(endCompaction(visit.turn, 'interrupted'));
}

function open(turn: string, data: Record<string, string | number | boolean>): Draft {
  return { type: 'compact.open', turn, author: 'system', data };
}

function close(turn: string, data: Record<string, string | number | boolean>): Draft {
  return { type: 'compact.close', turn, author: 'system', data };
}

function kindOf({ turns, rounds }: Cut): string {
  if (turns.length === 0) return 'current_turn_prefix';
  return rounds === 0 ? 'history' : 'history_with_split_turn';
}

function countsOf({ turns, rounds }: Cut, { before, after }: Compaction) {
  return { turns: turns.length, rounds, tokens_before: before, tokens_after: after };
}
