import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { type TurnRow, turnRows } from '../../engine/inspect/round-list.ts';
import { promptOf } from '../../engine/inspect/round-prompt.ts';
import { shortNames } from '../../timeline/short-names.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { whose, whoseQuery } from './access.ts';
import { conversationPath, type Inspection, seqOf } from './inspection.ts';
import { roundsPageMax, roundTextCharsMax } from './log/limits.ts';
import { addReplyRoutes } from './reply-routes.ts';
import { toWirePrompt } from './wire/prompt-wire.ts';
import { ticksOf, toWireTurn } from './wire/round-wire.ts';

const limits = `must be between 1 and ${roundsPageMax}`;
export const roundsQuery = z.object({
  ...whose,
  after: z.int().min(0).default(0),
  limit: z.int(limits).min(1, limits).max(roundsPageMax, limits).default(roundsPageMax),
});

export function addRoundRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${conversationPath}/rounds`, (context) => getRounds(context, inspection));
  app.get(`${conversationPath}/rounds/:seq/prompt`, (context) => getPrompt(context, inspection));
  addReplyRoutes(app, inspection);
}

async function getRounds(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, after, limit } = queryOf(context, roundsQuery);
  const log = await inspection.open(context, user);
  const { archive: view, blocks, ledger, row } = log;
  const names = shortNames(view);
  const rows = turnRows({ blocks, view, ledger, textCharsMax: roundTextCharsMax });
  const page: TurnRow[] = [];
  let rounds = 0;
  // A turn is never split, so a page may have more rounds than its limit if one turn has.
  for (const turn of rows.filter(({ seq }) => seq > after)) {
    if (rounds > 0 && rounds + turn.rounds.length > limit) break;
    page.push(turn);
    rounds += turn.rounds.length;
  }
  const last = page.at(-1);
  const isEnd = last === undefined || last === rows.at(-1);
  return context.json({
    ok: true,
    conversation_id: row.id,
    user: row.user,
    title: row.title ?? '',
    head: row.head,
    ...(row.openTurn !== undefined && { active_turn_id: row.openTurn }),
    ...(row.forkedFrom && {
      forked_from: { conversation_id: row.forkedFrom.conversation, seq: row.forkedFrom.seq },
    }),
    next: isEnd ? null : last.seq,
    ...ticksOf(log.blocks),
    turns: page.map((turn, index) => ({ ...toWireTurn(turn), name: nameOf(turn, index) })),
  });

  function nameOf(turn: TurnRow, index: number): string {
    const found = view.turns.find(({ id }) => id === turn.turn);
    return found ? names.turn(found.id) : `t${index + 1}`;
  }
}

async function getPrompt(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const seq = seqOf(context);
  const log = await inspection.open(context, user);
  const past = log.rounds.get(seq);
  if (!past) throw new Refusal('not_found', `no round with a prompt was opened at block ${seq}`);
  return context.json(toWirePrompt(log, await promptOf(log, past)));
}
