import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { FailureRow, ToolRow, UsageQuery } from '../../timeline/ports/overview.ts';
import type { Conversation } from './conversation.ts';

type Period = Pick<UsageQuery, 'from' | 'to'>;

/** Turns and calls of a conversation that failed in a period. */
export function failuresIn({ row, blocks }: Conversation, period: Period): readonly FailureRow[] {
  return blocks
    .filter((block) => isWithin(block, period))
    .flatMap((block) => {
      const data = isJsonObject(block.data) ? block.data : {};
      const isTurn = block.type === 'turn.close' && data['reason'] === 'failed';
      const isCall = block.type === 'react.tool.result' && data['ok'] === false;
      if (!isTurn && !isCall) return [];
      const { code = '', message = '' } = isJsonObject(data['error']) ? data['error'] : {};
      const { id: conversation, user, title } = row;
      const { seq, turn, at } = block;
      const tool = requestOf(block, blocks)?.tool ?? '';
      const error = { code: String(code), message: String(message) };
      return [{ conversation, user, title, seq, turn, at, tool, ...error }];
    });
}

export function requestOf({ call }: Block, blocks: readonly Block[]) {
  const found = blocks.find((each) => each.type === 'react.tool.call' && each.call === call);
  const { tool = '' } = (found && dataOf('react.tool.call', found)) ?? {};
  return found && { tool, at: found.at };
}

type Ended = { readonly tool: string; readonly at: string; readonly block: Block };

export function countCall(sum: ToolRow | undefined, { tool, at, block }: Ended): ToolRow {
  const { calls, failed, ms } = sum ?? { calls: 0, failed: 0, ms: 0 };
  const took = Date.parse(block.at) - Date.parse(at);
  const hasFailed = dataOf('react.tool.result', block)?.ok === false;
  return {
    tool,
    calls: calls + 1,
    failed: failed + (hasFailed ? 1 : 0),
    ms: (ms * calls + took) / (calls + 1),
  };
}

export function isWithin({ at }: Block, { from, to }: Pick<UsageQuery, 'from' | 'to'>): boolean {
  return Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to);
}
