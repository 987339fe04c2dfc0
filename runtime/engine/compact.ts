import type { Draft } from '../timeline/block.ts';
import { cacheBreak } from '../timeline/cache/break.ts';
import { blocksOf, briefOf } from '../timeline/compact/brief.ts';
import {
  type Compaction,
  compact as compactView,
  notesInSight,
  notesToCome,
  tokensOf,
} from '../timeline/compact/compact.ts';
import { type Cut, chooseCut, summaryAllowance } from '../timeline/compact/cut.ts';
import { endCompaction } from '../timeline/compact/end.ts';
import { extractHistory, extractProgress, usable } from '../timeline/compact/extract.ts';
import { markRefs, refsIn } from '../timeline/compact/refs.ts';
import { seenUpTo } from '../timeline/recall.ts';
import { inReadingOrder } from '../timeline/render/round.ts';
import { createReader } from '../tools/reader.ts';
import { refsCheckedMax, summaryBriefTokensMax, summaryOutputSlack } from './limits.ts';
import type { CompactStep } from './plan-compact.ts';
import { roomOf } from './prompt-room.ts';
import { summarise } from './summarise.ts';
import type { Visit } from './visit.ts';

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
  const { usage, ...texts } = await tell(visit, cut, room);
  const { how, ...words } = texts;
  const made = compactView(visit.owned.view, visit.turn, {
    cut,
    cause,
    room,
    now: visit.now,
    ...words,
  });
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

type Told = {
  readonly summary: string;
  readonly progress: string;
  /** `extract` as soon as one of them is. */
  readonly how: 'model' | 'extract';
  readonly usage: readonly Draft[];
};

async function tell(visit: Visit, cut: Cut, room: number): Promise<Told> {
  const { view } = visit.owned;
  const rounds = visit.turn.rounds.slice(0, cut.rounds);
  const tokensMax = summaryAllowance(room);
  const before = view.memory?.kept.summary ?? '';
  // What no round has read may still be taken back.
  const seen = seenUpTo([visit.turn]);
  const parts = [
    {
      about: 'history' as const,
      blocks: blocksOf(cut.turns),
      before,
      events: [],
      notes: notesToCome(view, visit.turn, { cut, room }),
      until: cut.turns.at(-1)?.id ?? '',
      extract: () => extractHistory(cut.turns, { before, tokensMax }),
    },
    {
      about: 'progress' as const,
      blocks: rounds.flatMap(inReadingOrder),
      before: '',
      events: visit.turn.events.filter(({ seq }) => seq <= seen),
      notes: notesInSight(view, visit.turn, { cut, room }),
      until: `round ${cut.rounds}`,
      extract: () => extractProgress(rounds, tokensMax),
    },
  ];
  const texts: string[] = [];
  const usage: Draft[] = [];
  let how: Told['how'] = 'model';
  for (const { extract, ...material } of parts) {
    const told = material.blocks.length === 0 ? nothing : await ask(visit, material, tokensMax);
    usage.push(...told.usage);
    if (told.text === undefined) how = 'extract';
    texts.push(told.text ?? extract());
  }
  const [summary = '', progress = ''] = texts;
  return { summary, progress, how, usage };
}

const nothing = { text: '', usage: [] };

async function ask(visit: Visit, material: Parameters<typeof briefOf>[1], tokensMax: number) {
  const { contextTokens } = visit.engine.model(visit.agent, 'summary');
  const outputTokensMax = tokensMax * summaryOutputSlack;
  const most = Math.min(summaryBriefTokensMax, contextTokens - outputTokensMax);
  const room = { tokensMax: most, answerTokensMax: tokensMax };
  const brief = briefOf(visit.owned.view, material, room);
  if (!brief) return { text: undefined, usage: [] };
  const { text, usage } = await summarise(visit, brief, outputTokensMax);
  if (text === undefined) return { text, usage };
  return { text: usable(await checked(visit, text), tokensMax), usage };
}

/** A path that leads nowhere would be read in vain. */
async function checked(visit: Visit, text: string): Promise<string> {
  const { engine, owned } = visit;
  const { row } = owned.lease;
  const reader = createReader({
    scope: { tenant: row.tenant, project: row.project, user: row.user },
    conversation: row.id,
    key: row.key,
    view: owned.view,
    store: engine.store,
    blobs: engine.blobs,
    signal: owned.signal,
    resolvers: visit.resolvers,
  });
  const missing = new Set<string>();
  for (const [index, path] of refsIn(text).entries()) {
    if (index >= refsCheckedMax || !(await reader.read(path))) missing.add(path);
  }
  return markRefs(text, missing);
}
