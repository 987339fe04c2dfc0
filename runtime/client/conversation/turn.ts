import type {
  Block,
  ChatEvent,
  Delta,
  OutputSchema,
  Recalled,
  SendOptions,
  Turn,
  TurnResult,
} from '../api/types.ts';
import { DeltaStreams } from '../events/delta-streams.ts';
import { fieldsOf } from '../events/to-event.ts';
import { resultFromBlocks, toResult } from '../events/turn-result.ts';
import { AnsweringTurn } from '../protocol/answering-turn.ts';
import type { MessageAck } from '../protocol/envelope.ts';
import { clientClosed } from '../transport/client-closed.ts';

type Accepted = MessageAck & { readonly ok: true };

/** The parts of its conversation that a turn needs. */
export type TurnConversation = {
  /** Events from the moment the message was sent. */
  events(): AsyncIterable<ChatEvent>;
  /** Earlier events that are still kept. */
  past(): readonly ChatEvent[];
  send(
    kind: 'followup' | 'steer',
    text: string,
    options: SendOptions & { turn: string },
  ): Promise<Turn>;
  blocks(): Promise<readonly Block[]>;
  /** Waits for a server that cannot be reached. */
  blocksOnceReachable(): Promise<readonly Block[]>;
  recall(messageId: string): Promise<Recalled>;
};

/** A handle on the turn that a message started. It follows the message to the turn that answers it. */
export class ClientTurn implements Turn {
  readonly #conversation: TurnConversation;
  readonly #ack: Accepted;
  readonly #answering: AnsweringTurn;
  #earlierResult: Promise<TurnResult | undefined> | undefined;

  constructor(home: TurnConversation, ack: Accepted) {
    this.#conversation = home;
    this.#ack = ack;
    this.#answering = new AnsweringTurn(ack.event_id, ack.turn_id);
  }

  get id(): string {
    return this.#answering.id;
  }

  get seq(): number {
    return this.#ack.seq;
  }

  get status(): 'started' | 'queued' | 'duplicate' {
    return this.#ack.status;
  }

  async *channel(name: string): AsyncGenerator<Delta> {
    const streams = new DeltaStreams();
    for await (const event of this.events()) {
      const delta = streams.next(event);
      if (delta && (delta.marker === name || delta.channel === name)) yield delta;
    }
  }

  /** The events of this turn, up to the event that ends it. For a turn that had already ended, the events that are still kept. */
  async *events(): AsyncGenerator<ChatEvent> {
    if (await this.#resultBefore()) {
      yield* this.#conversation.past().filter(({ turnId }) => turnId === this.id);
      return;
    }
    for await (const event of this.#conversation.events()) {
      const { type, turnId: turn } = event;
      const { step } = event.event;
      const data = 'data' in event ? fieldsOf(event.data) : {};
      const isLast = this.#answering.endsWith({ type, step, turn, data });
      if (event.turnId === this.id && !this.#isBefore(event)) yield event;
      if (isLast) return;
    }
  }

  async blocks(): Promise<readonly Block[]> {
    const blocks = await this.#conversation.blocks();
    return blocks.filter(({ turn }) => turn === this.id);
  }

  followup(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#conversation.send('followup', text, { ...options, turn: this.id });
  }

  steer(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#conversation.send('steer', text, { ...options, turn: this.id });
  }

  stop(): Promise<Turn> {
    return this.steer('');
  }

  recall(): Promise<Recalled> {
    return this.#conversation.recall(this.#ack.event_id);
  }

  done(): Promise<TurnResult>;
  done<T>(options: { output: OutputSchema<T> }): Promise<TurnResult<T>>;
  async done<T>(options?: { output: OutputSchema<T> }): Promise<TurnResult<unknown>> {
    const result = (await this.#resultBefore()) ?? (await this.#waitForEnd());
    if (!options || result.reason === 'failed') return result;
    const parsed = await options.output.safeParseAsync(result.output);
    if (parsed.success) return { ...result, output: parsed.data };
    const message = `the output of the turn does not fit its schema: ${parsed.error.issues[0]?.message ?? ''}`;
    return { ...result, output: undefined, error: { code: 'OUTPUT_INVALID', message } };
  }

  async #waitForEnd(): Promise<TurnResult> {
    let last: TurnResult | undefined;
    for await (const event of this.events()) last = toResult(event) ?? last;
    if (last === undefined) throw clientClosed();
    return last;
  }

  /** A repeated message may belong to a turn that is already over. Its end is not sent again, so it is read from the blocks. */
  #resultBefore(): Promise<TurnResult | undefined> {
    if (this.#ack.status !== 'duplicate') return Promise.resolve(undefined);
    this.#earlierResult ??= this.#conversation
      .blocksOnceReachable()
      .then((blocks) => resultFromBlocks(blocks, this.#ack));
    return this.#earlierResult;
  }

  /** For a message that joined a turn, earlier events of that turn are left out. */
  #isBefore(event: ChatEvent): boolean {
    return this.#ack.status === 'queued' && event.seq < this.#ack.seq;
  }
}
