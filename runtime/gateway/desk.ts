import { isFault, toWire } from '../base/fault.ts';
import { isRefusal, Refusal } from '../base/refusal.ts';
import type { MessageAck, WireError } from '../client/envelope.ts';
import { type ChatMessage, chatMessage, recallRequest } from '../client/wire.ts';
import type { Accepted, ConversationRow, Sender } from '../timeline/store.ts';
import { hostAttachments } from './attachments.ts';
import { afterBlock, type Position, toCursor } from './cursor.ts';
import { messagesPerMinuteMax, openTextCharsMax } from './limits.ts';
import { findOwn, notFound } from './own.ts';
import { parseInput } from './parse.ts';
import type { GatewayDeps } from './ports.ts';
import { Rate } from './rate.ts';
import { type Recalled, recallEvent } from './recall.ts';
import { digestOf, type Meant, meaningOf, toForms } from './submission.ts';
import type { Hosted, Uploads } from './uploads.ts';

export type Taken = {
  readonly ack: MessageAck;
  /** Set when it was taken: the conversation, and where telling its own event begins. */
  readonly from?: { readonly row: ConversationRow; readonly start: Position };
};

type Order = {
  readonly sender: Sender;
  readonly message: ChatMessage;
  readonly meant: Meant;
  readonly files: readonly Hosted[];
  readonly agent: { readonly bundle: string; readonly agent: string };
};

/** Takes messages in, whatever transport brought them: parse, admit, host files, accept, wake. */
export class Desk {
  readonly #deps: GatewayDeps;
  readonly #uploads: Uploads;
  readonly #rate: Rate;
  readonly counts = { started: 0, queued: 0, duplicate: 0, conflict: 0, refused: 0 };

  constructor(deps: GatewayDeps, uploads: Uploads) {
    this.#deps = deps;
    this.#uploads = uploads;
    this.#rate = new Rate(deps.clock, deps.limits?.messagesPerMinute ?? messagesPerMinuteMax);
  }

  /** Never throws: what goes wrong is in the answer, and nothing of the message is kept then. */
  async take(sender: Sender, raw: unknown, options: { signal: AbortSignal }): Promise<Taken> {
    try {
      const taken = await this.#take(sender, raw, options);
      this.counts[taken.ack.status] += 1;
      return taken;
    } catch (error) {
      this.counts.refused += 1;
      return { ack: { ok: false, status: 'refused', error: this.explain(error) } };
    }
  }

  /** Takes an event back. Refusals `invalid_input`, `not_found`, `busy`. */
  async recall(
    sender: Sender,
    raw: unknown,
    { signal }: { signal: AbortSignal },
  ): Promise<Recalled> {
    this.#draw(sender);
    const { conversation_id: conversation, event_id: event } = parseInput(recallRequest, raw);
    const row = await findOwn(this.#deps.store, sender, { conversation, signal });
    return recallEvent(this.#deps, { sender, row, event, signal });
  }

  #draw({ tenant, project, user }: Sender): void {
    this.#rate.draw(JSON.stringify([tenant, project, user]));
  }

  /** What a stranger may read of a failure; whatever is not an expected no is logged here. */
  explain(error: unknown): WireError {
    if (!isRefusal(error)) {
      const level = isFault(error) && error.kind === 'transient' ? 'warn' : 'error';
      this.#deps.log[level]('request failed', { error });
      return toWire(error);
    }
    const { code, message, retryAfterMs } = error;
    const retry = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
    return { code, message, ...retry };
  }

  async #take(sender: Sender, raw: unknown, { signal }: { signal: AbortSignal }): Promise<Taken> {
    this.#draw(sender);
    const message = parseInput(chatMessage, raw);
    const agent = this.#agentOf(message);
    const row = await this.#rowOf(sender, message, signal);
    const { bundles, blobs, store, clock } = this.#deps;
    const place = { bundle: agent.bundle, bundles, store, clock, signal };
    const meant = await meaningOf(message, row, place);
    const context = { sender, blobs, uploads: this.#uploads, signal };
    const files = await hostAttachments(message.attachments ?? [], context);
    return this.#accept({ sender, message, meant, files, agent }, signal);
  }

  async #accept(order: Order, signal: AbortSignal): Promise<Taken> {
    const { store, ids } = this.#deps;
    const { sender, message, meant, files, agent } = order;
    const { conversation_id, expected_turn_id } = message;
    const expected = meant.expectTurn ?? expected_turn_id;
    const opening = meant.text.slice(0, openTextCharsMax).toWellFormed();
    const request = {
      sender,
      newConversation: ids.next('conv'),
      message: message.message_id,
      digest: digestOf(message, files),
      ...toForms(message, meant, files),
      reactive: meant.reactive,
      newTurn: ids.next('turn'),
      turnData: { ...agent, text: opening },
      needsTurn: meant.needsTurn,
      ...(conversation_id !== undefined && { conversation: conversation_id }),
      ...(expected !== undefined && { expectTurn: expected }),
    };
    const accepted = await store.accept(request, { signal });
    const { status, key } = accepted;
    if (status === 'gone' || status === 'refused') throw refusalOf(accepted, order);
    if (status === 'conflict') return { ack: conflict(message) };
    if (key !== undefined && status !== 'duplicate') this.#tell(key, accepted.seq, meant);
    const row = await store.find(sender, accepted.conversation, { signal });
    const events = request.events.length;
    const opened = await this.#opened(accepted, { events, signal });
    const start = startOf(accepted, { events, opened, windowSeq: row?.windowSeq });
    return {
      ack: toAck(accepted, status, { message, start }),
      ...(row && { from: { row, start } }),
    };
  }

  /** Whether the event opened its turn. Of one that was taken before, the block in front of it says so. */
  async #opened(
    { status, key, seq }: Accepted,
    { events, signal }: { events: number; signal: AbortSignal },
  ): Promise<boolean> {
    if (status !== 'duplicate' || key === undefined) return status === 'started';
    const after = Math.max(0, seq - events - 1);
    const [block] = await this.#deps.store.read(key, { after, limit: 1, signal });
    return block?.type === 'turn.open';
  }

  #tell(key: number, seq: number, { type, reactive }: Meant): void {
    const { bus } = this.#deps;
    bus.publish(key, [{ kind: 'head', head: seq }]);
    if (reactive) bus.wake(key);
    if (type === 'external.steer') bus.steer(key, seq);
  }

  #agentOf({ bundle_id, agent_id }: ChatMessage): Order['agent'] {
    const { bundles } = this.#deps;
    const fallback = bundles.default();
    if (bundle_id === undefined && agent_id === undefined) return fallback;
    const bundle = bundle_id ?? fallback.bundle;
    const agent = bundles.agent(bundle, agent_id);
    if (agent !== undefined) return { bundle, agent };
    const wanted =
      agent_id === undefined ? `bundle "${bundle}"` : `agent "${agent_id}" in "${bundle}"`;
    throw new Refusal('not_found', `there is no ${wanted}`);
  }

  async #rowOf(
    sender: Sender,
    { conversation_id }: ChatMessage,
    signal: AbortSignal,
  ): Promise<ConversationRow | undefined> {
    if (conversation_id === undefined) return undefined;
    const row = await this.#deps.store.find(sender, conversation_id, { signal });
    if (row && row.user !== sender.user) throw notFound(conversation_id);
    return row;
  }
}

function refusalOf(accepted: Accepted, { message, meant: { answer } }: Order): Refusal {
  if (accepted.status === 'gone') return notFound(accepted.conversation);
  if (answer) return answer.refusal ?? new Refusal('turn_closed', 'the turn that waited is over');
  if (message.expected_turn_id === undefined) {
    return new Refusal('turn_closed', `no turn is at work; a ${message.kind} needs one`);
  }
  return new Refusal('turn_changed', `${message.expected_turn_id} is no longer the turn at work`);
}

function conflict({ message_id }: ChatMessage): MessageAck {
  const message = `the message id ${message_id} was used for another message`;
  return { ok: false, status: 'conflict', error: { code: 'conflict', message } };
}

/** Before the first block of the event; before its `turn.open`, if it opened one. */
function startOf(
  { seq }: Accepted,
  {
    events,
    opened,
    windowSeq = 1,
  }: { events: number; opened: boolean; windowSeq?: number | undefined },
): Position {
  const before = Math.max(0, opened ? seq - events - 1 : seq - events);
  if (opened) return afterBlock(before, before + 1);
  // Where a turn that was compacted began, nobody remembers: telling it again begins at the beginning.
  return afterBlock(before, before + 1 < windowSeq ? 1 : windowSeq);
}

function toAck(
  { conversation, turn, seq }: Accepted,
  status: 'started' | 'queued' | 'duplicate',
  { message, start }: { message: ChatMessage; start: Position },
): MessageAck {
  const names = {
    conversation_id: conversation,
    turn_id: turn ?? '',
    event_id: message.message_id,
  };
  return { ok: true, status, ...names, seq, cursor: toCursor(conversation, start) };
}
