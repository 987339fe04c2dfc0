import { isJsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { emptyView, foldAll } from '../../timeline/fold/fold.ts';
import { isConsumed } from '../../timeline/fold/recall.ts';
import { toSeq, toTurnId, turnToChoose } from '../../timeline/ids.ts';
import type { BlockPath } from '../../timeline/paths.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { recallBlocksMax, recallPageMax } from './limits.ts';

export type RecallStatus = 'recalled' | 'already_consumed';

type Request = {
  readonly sender: Sender;
  readonly row: ConversationRow;
  /** The message id of the event. */
  readonly event: string;
  readonly signal: AbortSignal;
};

/**
 * Withdraws an accepted event that no round has read. The order of the log decides whether it was in time: the result
 * is read from the log after the recall is appended. Repeating it gives the same result. Refusal `not_found`.
 */
export async function recallEvent(
  { store, bus, ids }: Pick<GatewayDeps, 'store' | 'bus' | 'ids'>,
  request: Request,
): Promise<RecallStatus> {
  const { sender, row, event, signal } = request;
  const before = await findEvent(store, request);
  if (before.kind !== 'unseen') return before.kind;
  const message = `recall.${event}`;
  const accepted = await store.accept(
    {
      sender,
      conversation: row.id,
      newConversation: row.id,
      message,
      digest: message,
      events: before.paths.map((path) => toRecall(path, { event, message })),
      reactive: false,
      newTurn: toTurnId(ids.next('turn')),
      turnData: null,
    },
    { signal },
  );
  bus.publish(row.key, [{ kind: 'head', head: accepted.seq }]);
  const after = await findEvent(store, request);
  return after.kind === 'already_consumed' ? 'already_consumed' : 'recalled';
}

/** One draft for each block of the event, under the same path, so that it is the newest block of that path. */
function toRecall(path: BlockPath, { event, message }: { event: string; message: string }): Draft {
  return {
    type: 'external.recall',
    turn: turnToChoose,
    author: 'user',
    event: message,
    path,
    text: '(taken back)',
    data: { event_id: event },
  };
}

type EventState =
  | { readonly kind: RecallStatus }
  | { readonly kind: 'unseen'; readonly paths: readonly BlockPath[] };

async function findEvent(store: GatewayDeps['store'], request: Request): Promise<EventState> {
  const { row, event } = request;
  const window = await readFrom(store, request, row.windowSeq - 1);
  const { turns } = foldAll(emptyView, window);
  if (
    window.some((block) => isRecallOf(block, event)) &&
    !hasEvent(turns.flatMap(eventsOf), event)
  ) {
    return { kind: 'recalled' };
  }
  const blocks = window.filter((block) => block.event === event);
  if (blocks.length === 0) return findBeforeWindow(store, request);
  if (blocks.some((block) => isConsumed(turns, block))) return { kind: 'already_consumed' };
  return { kind: 'unseen', paths: blocks.flatMap(({ path }) => path ?? []) };
}

/** Events before the window were read by the rounds that closed it. */
async function findBeforeWindow(
  store: GatewayDeps['store'],
  request: Request,
): Promise<EventState> {
  const { row, event } = request;
  const after = Math.max(0, row.windowSeq - 1 - recallBlocksMax);
  const earlier = row.windowSeq > 1 ? await readFrom(store, request, after) : [];
  if (hasEvent(earlier, event)) return { kind: 'already_consumed' };
  throw new Refusal('not_found', `event ${event} not found in conversation ${row.id}`);
}

async function readFrom(
  store: GatewayDeps['store'],
  { row, signal }: Request,
  from: number,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (let after = from; ; ) {
    const page = await store.read(row.key, { after: toSeq(after), limit: recallPageMax, signal });
    blocks.push(...page);
    after = page.at(-1)?.seq ?? after;
    if (page.length < recallPageMax || blocks.length >= recallBlocksMax) return blocks;
  }
}

function eventsOf({ events }: { events: readonly Block[] }): readonly Block[] {
  return events;
}

function hasEvent(blocks: readonly Block[], event: string): boolean {
  return blocks.some((block) => block.event === event);
}

function isRecallOf({ type, data }: Block, event: string): boolean {
  return type === 'external.recall' && isJsonObject(data) && data['event_id'] === event;
}
