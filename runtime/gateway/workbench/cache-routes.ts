import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { costOfEdit, parseEdit } from '../../engine/inspect/cache-edit.ts';
import type { LedgerCall } from '../../timeline/cache/ledger.ts';
import type { Env } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { whoseQuery } from './access.ts';
import { conversationPath, type Inspection } from './inspection.ts';
import { ledgerCallsMax } from './log/limits.ts';

export const whatIfRequest = z.strictObject({
  edit: z.string().max(2_000),
});

export function addCacheRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${conversationPath}/cache`, (context) => getCache(context, inspection));
  app.post(`${conversationPath}/cache/what-if`, (context) => postWhatIf(context, inspection));
}

async function getCache(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const { ledger } = await inspection.open(context, user);
  const calls = ledger.slice(-ledgerCallsMax);
  return context.json({
    ok: true,
    omitted: ledger.length - calls.length,
    calls: calls.map(toWire),
  });
}

function toWire({ inputTokens, readTokens, missedTokens, ...call }: LedgerCall): object {
  const tokens = { input_tokens: inputTokens, read_tokens: readTokens };
  return { ...call, ...tokens, missed_tokens: missedTokens };
}

async function postWhatIf(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const { edit: named } = parseInput(whatIfRequest, await jsonOf(context));
  const edit = parseEdit(named);
  if (!edit)
    throw new Refusal(
      'invalid_input',
      'edit: must be hide:PATH, keep:TURNS, prune, compact or catalogue',
    );
  const cost = await costOfEdit(await inspection.open(context, user), edit);
  if (!cost) return context.json({ ok: true, edit: named, changes: false });
  const { tokensBefore, tokensAfter, again, paysAfterCalls } = cost;
  return context.json({
    ...{ ok: true, edit: named, changes: true },
    ...{ tokens_before: tokensBefore, tokens_after: tokensAfter, again },
    pays_after_calls: paysAfterCalls ?? null,
  });
}
