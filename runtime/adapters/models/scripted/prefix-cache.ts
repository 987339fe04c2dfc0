import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';
import type { ModelRequest, ModelUsage } from '../../../engine/ports/model.ts';

type Sent = { readonly text: string; readonly tokens: number };

/**
 * What a provider with an automatic prefix cache would have read again: the parts, from the first, that are the same
 * as in the request before. It shows how well a prompt keeps its prefix; it knows no expiry and no least size.
 */
export class PrefixCache {
  #before: readonly Sent[] = [];

  meter({ system, parts }: ModelRequest): Omit<ModelUsage, 'outputTokens'> {
    const before = this.#before;
    const now = [system, ...parts.map((part) => part.text)].map((text, index): Sent => {
      const same = before[index];
      return same?.text === text ? same : { text, tokens: tokensOf(text) };
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

export function tokensOf(text: string): number {
  return count(text, { disallowedSpecial: new Set() });
}

function sum(sent: readonly Sent[]): number {
  return sent.reduce((total, { tokens }) => total + tokens, 0);
}
