import {
  type ModelRequest,
  type ModelUsage,
  messagesOf,
  type PromptMessage,
} from '../../../engine/ports/model.ts';
import { countRepeatedTokens, countTokens } from '../../../timeline/tokens.ts';
import { scriptedBinaryTokens } from './limits.ts';

type Part = PromptMessage['parts'][number];
type SentPart = { readonly text: string; readonly tokens: number };

/**
 * Simulates a provider's automatic prefix cache: counts the leading parts that are the same as in the previous request.
 * Shows how well a prompt keeps its prefix; has no expiry and no minimum size.
 */
export class PrefixCache {
  #before: readonly SentPart[] = [];

  meter(request: ModelRequest): Omit<ModelUsage, 'outputTokens'> {
    const before = this.#before;
    const parts = messagesOf(request).flatMap<Part>((message) => [...message.parts]);
    const head = [...(request.offer ? [JSON.stringify(request.offer.tools)] : []), request.system];
    const all: readonly Part[] = [
      ...head.map((text) => ({ kind: 'text' as const, text })),
      ...parts,
    ];
    const now = all.map((part, index): SentPart => {
      const text = textOf(part);
      const same = before[index];
      if (same?.text === text) return same;
      const isBinary = part.kind === 'image' || part.kind === 'document';
      const count = index < head.length ? countRepeatedTokens : countTokens;
      return { text, tokens: isBinary ? scriptedBinaryTokens : count(text) };
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

function textOf(part: Part): string {
  if (part.kind === 'call') return JSON.stringify([part.name, part.input]);
  return part.kind === 'carry' ? JSON.stringify(part.item) : part.text;
}

function sum(sent: readonly SentPart[]): number {
  return sent.reduce((total, { tokens }) => total + tokens, 0);
}
