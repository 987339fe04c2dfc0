import { costOfEdit } from '../../../engine/inspect/cache-edit.ts';
import type { CacheEdit, WhatIf } from '../../../timeline/cache/what-if.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { StoredConversation } from './open-conversation.ts';

/** Prints what an edit would cost now, with the limits of the agent in its last round. */
export async function reportWhatIf(
  log: StoredConversation,
  { json, whatif: edit }: { json: boolean; whatif: CacheEdit },
): Promise<number> {
  const made = await costOfEdit(log, edit);
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
