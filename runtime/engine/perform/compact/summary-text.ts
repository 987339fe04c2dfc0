import type { Draft } from '../../../timeline/block.ts';
import type { Cut } from '../../../timeline/compact/cut.ts';
import {
  extractHistory,
  extractProgress,
  progressSoFar,
  trimSummary,
} from '../../../timeline/compact/extract.ts';
import { upcomingNotes, visibleNotes } from '../../../timeline/compact/memory.ts';
import { markRefs, refsIn } from '../../../timeline/compact/refs.ts';
import { blocksOf, summaryPrompt } from '../../../timeline/compact/summary-prompt.ts';
import { lastSeenSeq } from '../../../timeline/fold/recall.ts';
import { inReadingOrder } from '../../../timeline/render/reading-order.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { createPathReader } from '../../../tools/services/path-reader.ts';
import {
  refsCheckedMax,
  summaryBriefTokensMax,
  summaryOutputSlack,
  summaryTokensMin,
} from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';
import { summarise } from './summarise.ts';

type SummaryTexts = {
  readonly summary: string;
  readonly progress: string;
  /** `extract` if at least one of them is. */
  readonly how: 'model' | 'extract';
  readonly usage: readonly Draft[];
};

/**
 * Texts that replace the covered turns and rounds: a summary by the model, otherwise an extract of their beginnings. Each
 * continues the one before it, so that a summary model never reads the same rounds twice.
 */
export async function summariseCut(
  session: WorkerSession,
  cut: Cut,
  { room, tokensMax }: { readonly room: number; readonly tokensMax: number },
): Promise<SummaryTexts> {
  const { view } = session.conversation;
  const soFar = progressSoFar(view, session.turn, cut.rounds);
  const names = shortNames(view);
  const last = cut.turns.at(-1);
  const before = view.memory?.kept.summary ?? '';
  // What no round has read may still be taken back.
  const seen = lastSeenSeq([session.turn]);
  const parts = [
    {
      about: 'history' as const,
      blocks: blocksOf(cut.turns),
      before,
      events: [],
      notes: upcomingNotes(view, session.turn, { cut, room }),
      until: last === undefined ? '' : names.turn(last.id),
      extract: () => extractHistory(cut.turns, { before, tokensMax, names }),
    },
    {
      about: 'progress' as const,
      blocks: soFar.fresh.flatMap(inReadingOrder),
      before: soFar.before,
      events: session.turn.events.filter(({ seq }) => seq <= seen),
      notes: visibleNotes(view, session.turn, { cut, room }),
      until: `round ${cut.rounds}`,
      extract: () => extractProgress(soFar.fresh, { before: soFar.before, tokensMax }),
    },
  ];
  const texts: string[] = [];
  const usage: Draft[] = [];
  let how: SummaryTexts['how'] = 'model';
  for (const { extract, ...material } of parts) {
    if (material.blocks.length === 0) {
      texts.push(extract());
      continue;
    }
    const written = tokensMax < summaryTokensMin ? unpaid : await ask(session, material, tokensMax);
    usage.push(...written.usage);
    if (written.text === undefined) how = 'extract';
    texts.push(written.text ?? extract());
  }
  const [summary = '', progress = ''] = texts;
  return { summary, progress, how, usage };
}

/** The words of a model would not fit. */
const unpaid = { text: undefined, usage: [] };

async function ask(
  session: WorkerSession,
  material: Parameters<typeof summaryPrompt>[1],
  tokensMax: number,
) {
  const { contextTokens } = session.engine.model(session.agent, 'summary');
  const outputTokensMax = tokensMax * summaryOutputSlack;
  const most = Math.min(summaryBriefTokensMax, contextTokens - outputTokensMax);
  const room = { tokensMax: most, answerTokensMax: tokensMax };
  const brief = summaryPrompt(session.conversation.view, material, room);
  if (!brief) return { text: undefined, usage: [] };
  const { text, usage } = await summarise(session, brief, outputTokensMax);
  if (text === undefined) return { text, usage };
  return { text: trimSummary(await withCheckedRefs(session, text), tokensMax), usage };
}

/** Marks paths that do not resolve, so that the model does not try to read them. */
async function withCheckedRefs(session: WorkerSession, text: string): Promise<string> {
  const { engine, conversation } = session;
  const { row } = conversation.lease;
  const reader = createPathReader({
    scope: { tenant: row.tenant, project: row.project, user: row.user },
    conversation: row.id,
    key: row.key,
    view: conversation.view,
    store: engine.store,
    blobs: engine.blobs,
    signal: conversation.signal,
    resolvers: session.resolvers,
  });
  const missing = new Set<string>();
  for (const [index, path] of refsIn(text).entries()) {
    if (index >= refsCheckedMax || !(await reader.read(path))) missing.add(path);
  }
  return markRefs(text, missing);
}
