import type { ChatEvent } from '../../../../client/index.ts';
import { text } from './json-fields.ts';
import type { Item } from './transcript-types.ts';

/** A question to the user, where its call or its turn stands. */
export function addApproval(
  items: readonly Item[],
  { data }: ChatEvent & { type: 'chat.approval' },
): readonly Item[] {
  const { request, title, detail = '', kind: asks = 'call' } = data;
  const key = `approval.${request}`;
  if (items.some((item) => item.key === key)) return items;
  const tool = 'tool' in data ? data.tool : undefined;
  const call =
    tool === undefined ? undefined : { tool, input: 'input' in data ? data.input : undefined };
  return [...items, { kind: 'approval', key, request, title, detail, asks, call, outcome: '' }];
}

export function settleApproval(
  items: readonly Item[],
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  const outcome = text(data['outcome']);
  return items.map((item) =>
    item.kind === 'approval' && item.request === data['request'] ? { ...item, outcome } : item,
  );
}

/** What its user took back is no longer there. */
export function removeRecalled(
  items: readonly Item[],
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  return items.filter((item) => item.kind !== 'said' || item.message !== data['event_id']);
}
