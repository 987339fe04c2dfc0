import { isJsonObject } from '../../../runtime/base/json.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { dataOf } from '../../../runtime/timeline/catalogue/catalogue.ts';
import type { SentBlock } from './provider.ts';
import { imageTokens, type Sent, tokensOf } from './world.ts';

/** A request at its time, as somebody else would have sent it. */
export type Other = { readonly atMs: number; readonly blocks: readonly SentBlock[] };

/** The same prompts without a mark, for a provider that caches at explicit marks only. */
export function unmarked(requests: readonly Sent[]): readonly Other[] {
  return requests.map(({ atMs, blocks }) => ({ atMs, blocks: blocks.map(bare) }));
}

/** The same prompts with one mark, on the last part that the next request has too. */
export function markedOnce(requests: readonly Sent[]): readonly Other[] {
  return requests.map(({ atMs, blocks }) => ({
    atMs,
    blocks: marking(
      blocks,
      blocks.findLastIndex(({ mark }) => mark),
    ),
  }));
}

/** One mark on the last message, wherever that is. */
export function rolling(others: readonly Other[]): readonly Other[] {
  return others.map(({ atMs, blocks }) => ({ atMs, blocks: marking(blocks, blocks.length - 1) }));
}

function marking(blocks: readonly SentBlock[], at: number): readonly SentBlock[] {
  return blocks.map((block, index) =>
    index === at ? { ...bare(block), mark: 'short' as const } : bare(block),
  );
}

function bare({ text, tokens }: SentBlock): SentBlock {
  return { text, tokens };
}

/**
 * The history as a list of messages, which is what an agent loop without a renderer sends: system text with the tools'
 * schemas, then every message so far, whole, without end. It says no more than ours: no thinking, no results of its own.
 */
export function plainTranscripts(log: readonly Block[], system: string): readonly Other[] {
  const first = { text: system, tokens: tokensOf(system) };
  const messages: SentBlock[] = [first];
  const others: Other[] = [];
  let taken = 0;
  for (const block of log) {
    if (block.type !== 'round.open') continue;
    const asOf = dataOf('round.open', block)?.as_of ?? 0;
    for (; taken < log.length && (log[taken]?.seq ?? 0) <= asOf; taken += 1) {
      const said = log[taken];
      if (said) messages.push(...toMessages(said));
    }
    others.push({ atMs: Date.parse(block.at), blocks: [...messages] });
  }
  return others;
}

function toMessages(block: Block): readonly SentBlock[] {
  if (block.type === 'user.attachment') return [{ text: `${block.path}`, tokens: imageTokens }];
  const text = textOf(block);
  return text === undefined ? [] : [{ text, tokens: tokensOf(text) }];
}

function textOf({ type, text, data, call, seq }: Block): string | undefined {
  const facts = isJsonObject(data) ? data : {};
  switch (type) {
    case 'user.prompt':
    case 'external.followup':
      return `user ${seq}: ${text}`;
    case 'react.notes':
    case 'assistant.completion':
      return `assistant ${seq}: ${text}`;
    case 'react.tool.call':
      return JSON.stringify({
        type: 'tool_use',
        id: call,
        name: facts['tool'],
        input: facts['input'],
      });
    case 'react.tool.result':
      return JSON.stringify({ type: 'tool_result', id: call, content: text ?? facts['ret'] });
    default:
      return undefined;
  }
}
