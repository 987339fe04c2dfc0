import { setTimeout } from 'node:timers/promises';
import type { ChatEvent, Client, Conversation, SendOptions, Turn } from 'timeloom/client';
import { isFault } from '../../../runtime/base/fault.ts';
import { isRefusal } from '../../../runtime/base/refusal.ts';
import type { Chance } from '../../runtime/engine/simulation/chance.ts';

const turnsMax = 3;
const pauseMsMax = 2_000;
/** A turn whose workers are killed again and again is taken over later each time: after 10, 20, 40 and 80 s. */
const endDeadlineMs = 600_000;
const retryMs = 300;

type Kind = 'send' | 'followup' | 'steer' | 'stop';

/** What a client sent and what came of it. */
export type Message = {
  readonly id: string;
  readonly marker: string;
  readonly kind: Kind;
  /** Undefined: refused, because no turn was open. */
  readonly turn: Turn | undefined;
};

export type Talk = {
  readonly user: string;
  readonly id: string;
  readonly messages: readonly Message[];
  /** Everything that the client received, in order. */
  readonly events: readonly ChatEvent[];
  readonly faults: readonly string[];
};

/** One conversation of a user who writes, adds, steers, stops and sends twice, mostly without waiting. */
export async function talk(
  client: Client,
  { user, number, chance }: { user: string; number: number; chance: Chance },
): Promise<Talk> {
  const conversation = client.conversation();
  const talking = new Talking(conversation, { number });
  for (let count = 1 + chance.below(turnsMax); count > 0; count -= 1) {
    await talking.say('send');
    while (chance.happens(0.4)) {
      await setTimeout(chance.below(pauseMsMax));
      await talking.say(chance.one(['followup', 'followup', 'steer', 'again', 'stop']));
    }
    if (chance.happens(0.7)) await talking.settled();
  }
  await talking.settled();
  return { user, id: conversation.id, ...talking };
}

class Talking {
  readonly messages: Message[] = [];
  readonly events: ChatEvent[] = [];
  readonly faults: string[] = [];
  readonly #conversation: Conversation;
  readonly #number: number;
  #waiting: Promise<void>[] = [];

  constructor(conversation: Conversation, { number }: { number: number }) {
    this.#conversation = conversation;
    this.#number = number;
    void this.#record();
  }

  async say(kind: Kind | 'again'): Promise<void> {
    const last = this.messages.at(-1);
    if (kind === 'again') await this.#repeat(last);
    else {
      const of = `${this.#number}-${this.messages.length}`;
      const [id, marker] = [`msg_${of}`, `M${of}`];
      const message = { kind, id, marker, turn: await this.#accepted({ kind, id, marker }) };
      this.messages.push(message);
      this.#follow(message);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
    this.#waiting = [];
  }

  async #record(): Promise<void> {
    for await (const event of this.#conversation.events()) this.events.push(event);
  }

  async #repeat(message: Message | undefined): Promise<void> {
    if (message?.turn?.status !== 'started') return;
    const turn = await this.#accepted(message);
    if (turn?.seq !== message.turn.seq)
      this.faults.push(`${message.id} is at ${message.turn.seq}, and then at ${turn?.seq}`);
    this.#follow({ ...message, turn });
  }

  /** Sends a message until a server answers. */
  async #accepted({ kind, marker, id }: Omit<Message, 'turn'>): Promise<Turn | undefined> {
    for (;;) {
      try {
        return await this.#sent(kind, marker, { messageId: id });
      } catch (error) {
        if (isRefusal(error) && error.code === 'turn_closed') return undefined;
        if (!isFault(error) && !(isRefusal(error) && isPassing(error.code))) throw error;
        await setTimeout(retryMs);
      }
    }
  }

  #sent(kind: Kind, marker: string, options: SendOptions): Promise<Turn> {
    const text = `Answer ${marker}, please.`;
    if (kind === 'stop') return this.#conversation.steer('', options);
    if (kind === 'steer' || kind === 'followup') return this.#conversation[kind](text, options);
    return this.#conversation.send(text, options);
  }

  #follow(message: Message): void {
    const { id, turn } = message;
    if (!turn) return;
    const answered = this.#answered(message, turn).catch((error: unknown) => {
      this.faults.push(`${id} of ${turn.id} (${turn.status}) has no end: ${String(error)}`);
    });
    this.#waiting.push(answered);
  }

  async #seesEnd(turn: string): Promise<void> {
    for await (const { type, turnId } of this.#conversation.events()) {
      if (turnId === turn && (type === 'chat.complete' || type === 'chat.error')) return;
    }
  }

  /** A completed turn has read the message, and what the client shows is the text of its end. */
  async #answered({ kind, id, marker }: Message, turn: Turn): Promise<void> {
    const shown = turn.status === 'started' ? textOf(turn) : Promise.resolve(undefined);
    const [result, streamed] = await within(Promise.all([turn.done(), shown]));
    // The result of a repeated message is read over HTTP, perhaps while its socket is cut off.
    await within(this.#seesEnd(turn.id));
    const { reason, text, error } = result;
    const facts = `${id} in ${turn.id} (${turn.status})`;
    if (reason === 'failed' && error?.code !== 'TURN_ABANDONED')
      this.faults.push(`${facts} failed: ${JSON.stringify(error)}`);
    if (reason !== 'completed') return;
    if (kind !== 'stop' && !text.includes(marker))
      this.faults.push(`${facts} is not answered by: ${text}`);
    if (streamed !== undefined && streamed !== text)
      this.faults.push(`${facts} streamed: ${streamed} | and ended with: ${text}`);
    const state = this.#conversation.state.turns.find((each) => each.id === turn.id);
    if (state?.answer !== text)
      this.faults.push(`${facts} shows: ${state?.answer} | and ended with: ${text}`);
  }
}

async function textOf(turn: Turn): Promise<string> {
  let text = '';
  for await (const { offset, text: piece } of turn.channel('answer')) {
    text = offset === 0 ? piece : text + piece;
  }
  return text;
}

/** A server that has lost its database answers with a fault; its clients send again. */
function isPassing(code: string): boolean {
  return code === code.toUpperCase() || code === 'busy';
}

async function within<T>(outcome: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = setTimeout(endDeadlineMs, undefined, { signal: over.signal }).then(() => {
    throw new Error('it takes too long');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([outcome, late]);
  } finally {
    over.abort();
  }
}
