import { addAbortListener } from 'node:events';
import { untilAborted, Work } from '../../base/signal.ts';
import type { MessageAck, WireEnvelope } from '../../client/protocol/envelope.ts';
import { type FeedDeps, openFeed } from '../feed/feed.ts';
import { answerWaitMs } from '../http/limits.ts';
import type { IntakeResult } from '../intake/ack.ts';

type Accepted = {
  readonly ack: Extract<MessageAck, { readonly ok: true }>;
  readonly from: NonNullable<IntakeResult['from']>;
};

/**
 * Follows a message until the turn that answers it has ended, and returns the event of that end. Undefined if it has not
 * ended after `answerWaitMs`, for example because it waits for a person, or if the client has `gone`. Rejects when the signal
 * fires.
 */
export async function waitForAnswer(
  deps: FeedDeps,
  { ack, from: { row, start } }: Accepted,
  { signal, gone }: { readonly signal: AbortSignal; readonly gone: AbortSignal },
): Promise<WireEnvelope | undefined> {
  using work = new Work(signal, { deadlineMs: answerWaitMs });
  using _gone = addAbortListener(gone, () => work.stop('shutdown'));
  let turn = ack.turn_id;
  let settle: (end: WireEnvelope | undefined) => void = () => undefined;
  const ended = new Promise<WireEnvelope | undefined>((resolve) => {
    settle = resolve;
  });
  const send = (envelope: WireEnvelope) => {
    turn = landedIn(envelope, ack.event_id) ?? turn;
    if (isEnd(envelope) && envelope.turn_id === turn) settle(envelope);
  };
  const sink = { send, ready: async () => undefined, end: () => settle(undefined) };
  await using _feed = openFeed(deps, row, { start, sink });
  try {
    return await untilAborted(ended, work.signal);
  } catch (reason) {
    if (signal.aborted) throw reason;
    return undefined;
  }
}

function isEnd({ type }: WireEnvelope): boolean {
  return type === 'chat.complete' || type === 'chat.error';
}

/** The turn that took an event in, which may be a later one than the event was sent to. */
function landedIn({ event: { step }, data }: WireEnvelope, event: string): string | undefined {
  if (step !== 'event.landed' || data?.['event_id'] !== event) return undefined;
  return typeof data['turn_id'] === 'string' ? data['turn_id'] : undefined;
}
