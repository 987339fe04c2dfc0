import { z } from 'zod';
import { announceTokensOf, outputTokensOf } from '../../../engine/agent/reserved-tokens.ts';
import { agentDefaults } from '../../../sdk/contract/agent-settings.ts';
import {
  type CacheEdit,
  type WhatIf,
  type WhatIfSettings,
  whatIf,
} from '../../../timeline/cache/what-if.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { emptyView, foldAll } from '../../../timeline/fold/fold.ts';
import { promptsConversation } from '../../../timeline/prompt-rounds.ts';
import { pastRounds } from '../../../timeline/render/past-rounds.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { StoredConversation } from './open-conversation.ts';
import { textOf } from './render-command.ts';

/** Parses `hide:PATH`, `prune`, `compact` or `catalogue`; undefined: anything else. */
export function parseEdit(text: string): CacheEdit | undefined {
  const path = /^hide:(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { kind: 'hide', path };
  return text === 'prune' || text === 'compact' || text === 'catalogue'
    ? { kind: text }
    : undefined;
}

/** Prints what an edit would cost now, with the limits of the agent in its last round. */
export async function reportWhatIf(
  log: StoredConversation,
  { json, whatif: edit }: { json: boolean; whatif: CacheEdit },
): Promise<number> {
  const made = whatIf(foldAll(emptyView, log.blocks), edit, await settingsOf(log));
  const name = edit.kind === 'hide' ? `hide:${edit.path}` : edit.kind;
  if (json) process.stdout.write(`${JSON.stringify({ edit: name, ...toWire(made) })}\n`);
  else if (!made) process.stdout.write(`${name} would change nothing${reasons[edit.kind] ?? ''}\n`);
  else {
    const { tokensBefore, tokensAfter, again, paysAfterCalls } = made;
    const pays =
      paysAfterCalls === undefined
        ? 'it never pays off'
        : `it pays off after ${paysAfterCalls} calls`;
    process.stdout.write(
      `${name}: the prompt goes from ${grouped(tokensBefore)} to ${grouped(tokensAfter)} tokens, ` +
        `${grouped(again)} cached tokens must be sent again; ${pays}\n`,
    );
  }
  return 0;
}

/** Empty if the edit would change nothing. */
function toWire(made: WhatIf | undefined): object {
  if (!made) return {};
  const { tokensBefore, tokensAfter, again, paysAfterCalls } = made;
  const tokens = { tokens_before: tokensBefore, tokens_after: tokensAfter, again };
  return { ...tokens, pays_after_calls: paysAfterCalls };
}

const reasons: Readonly<Partial<Record<CacheEdit['kind'], string>>> = {
  hide: ': nothing in the prompt has this path (timeline show lists the paths)',
};

const Policy = z.object({
  context: z.object({
    maxTokens: z.number(),
    recentTurns: z.number(),
    intactTurns: z.number(),
  }),
});

/** The agent's settings in the last round, or the defaults without any round. */
async function settingsOf(log: StoredConversation): Promise<WhatIfSettings> {
  const past = [...pastRounds(log.blocks)].findLast(({ opened }) => promptsConversation(opened));
  const policy = past && Policy.safeParse(JSON.parse(await textOf(log, past.opened.hashes.policy)));
  const { maxTokens, recentTurns, intactTurns } = policy?.data?.context ?? agentDefaults.context;
  const system = (past && dataOf('round.open', past.open)?.tokens?.system) ?? 0;
  const agent = { context: { maxTokens } };
  const room = maxTokens - system - outputTokensOf(agent) - announceTokensOf(agent);
  return { room, recentTurns, intactTurns };
}
