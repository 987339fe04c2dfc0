import { z } from 'zod';
import { agentDefaults } from '../../sdk/contract/agent-settings.ts';
import {
  type CacheEdit,
  type WhatIf,
  type WhatIfSettings,
  whatIf,
  whatIfKept,
} from '../../timeline/cache/what-if.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import { emptyView, foldAll } from '../../timeline/fold/fold.ts';
import { promptsConversation } from '../../timeline/prompt-rounds.ts';
import { pastRounds } from '../../timeline/render/past-rounds.ts';
import { announceTokensOf, outputTokensOf } from '../agent/reserved-tokens.ts';
import { type OpenLog, textOf } from './open-log.ts';

/** Parses `hide:PATH`, `keep:TURNS`, `prune`, `compact` or `catalogue`; undefined: anything else. */
export function parseEdit(text: string): CacheEdit | undefined {
  const path = /^hide:(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { kind: 'hide', path };
  const turns = /^keep:([1-9]\d{0,3})$/.exec(text)?.[1];
  if (turns !== undefined) return { kind: 'keep', turns: Number(turns) };
  return text === 'prune' || text === 'compact' || text === 'catalogue'
    ? { kind: text }
    : undefined;
}

/** What an edit would cost now, with the limits of the agent in its last round. Undefined: it would change nothing. */
export async function costOfEdit(log: OpenLog, edit: CacheEdit): Promise<WhatIf | undefined> {
  const settings = await settingsOf(log);
  if (edit.kind === 'keep') return whatIfKept(log.blocks, edit.turns, settings);
  return whatIf(foldAll(emptyView, log.blocks), edit, settings);
}

const Policy = z.object({
  context: z.object({
    maxTokens: z.number(),
    recentTurns: z.number(),
    intactTurns: z.number(),
  }),
});

/** The agent's settings in the last round, or the defaults without any round. */
async function settingsOf(log: OpenLog): Promise<WhatIfSettings> {
  const past = [...pastRounds(log.blocks)].findLast(({ opened }) => promptsConversation(opened));
  const policy = past && Policy.safeParse(JSON.parse(await textOf(log, past.opened.hashes.policy)));
  const { maxTokens, recentTurns, intactTurns } = policy?.data?.context ?? agentDefaults.context;
  const system = (past && dataOf('round.open', past.open)?.tokens?.system) ?? 0;
  const agent = { context: { maxTokens } };
  const room = maxTokens - system - outputTokensOf(agent) - announceTokensOf(agent);
  return { room, recentTurns, intactTurns };
}
