import type { ModelRequest, ModelUsage, PromptPart } from '../../../engine/ports/model.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { scriptedBinaryTokens } from './limits.ts';

type Sent = { readonly text: string; readonly tokens: number };

/**
 * Simulates a provider's automatic prefix cache: counts the leading parts that are the same as in the previous request.
 * Shows how well a prompt keeps its prefix; has no expiry and no minimum size.
 */
export class PrefixCache {
  #before: readonly Sent[] = [];

  meter({ system, parts }: ModelRequest): Omit<ModelUsage, 'outputTokens'> {
    const before = this.#before;
    const all: readonly PromptPart[] = [{ kind: 'text', text: system }, ...parts];
    const now = all.map(({ kind, text }, index): Sent => {
      const same = before[index];
      if (same?.text === text) return same;
      return { text, tokens: kind === 'text' ? countTokens(text) : scriptedBinaryTokens };
    });
    const changed = now.findIndex((sent, index) => sent !== before[index]);
    const kept = changed === -1 ? now.length : changed;
    this.#before = now;
    return {
      inputTokens: sum(now.slice(kept)),
      cacheReadTokens: sum(now.slice(0, kept)),
      cacheWriteTokens: 0,
    };
  }
}

function sum(sent: readonly Sent[]): number {
  return sent.reduce((total, { tokens }) => total + tokens, 0);
}
