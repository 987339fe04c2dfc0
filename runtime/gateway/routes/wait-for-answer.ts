import { addAbortListener } from 'node:events';
import { untilAborted, Work } from '../../base/signal.ts';
import { AnsweringTurn, isEnd } from '../../client/protocol/answering-turn.ts';
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
  const answering = new AnsweringTurn(ack.event_id, ack.turn_id);
  let settle: (end: WireEnvelope | undefined) => void = () => undefined;
  const ended = new Promise<WireEnvelope | undefined>((resolve) => {
    settle = resolve;
  });
  const send = (envelope: WireEnvelope) => {
    const { type, event, turn_id: turn, data = {} } = envelope;
    if (!answering.endsWith({ type, step: event.step, turn, data })) return;
    settle(isEnd(type) ? envelope : undefined);
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
