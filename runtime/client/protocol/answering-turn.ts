type End = 'chat.complete' | 'chat.error';

/** The parts of an event that say which turn it concerns. */
type TurnEvent = {
  readonly type: string;
  readonly step: string;
  readonly turn: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/**
 * Follows a message to the turn that answers it: the one that it opened or joined, unless that turn ends without having read
 * it. Then the next turn answers it.
 */
export class AnsweringTurn {
  readonly #event: string;
  #turn: string;
  /** The turn has ended without an answer to the message, and no turn has begun since. */
  #isWaiting = false;

  constructor(event: string, turn: string) {
    this.#event = event;
    this.#turn = turn;
  }

  get id(): string {
    return this.#turn;
  }

  /** The turn ended without having read the message, and the next one has not begun. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether the event is the last one for the message: the end of the turn that answers it, or its recall. */
  endsWith({ type, step, turn, data }: TurnEvent): boolean {
    const isOwn = data['event_id'] === this.#event;
    if ((this.#isWaiting && type === 'chat.start') || (isOwn && step === 'event.landed')) {
      this.#turn = turn;
      this.#isWaiting = false;
    }
    if (step === 'event.recalled' && isOwn) return this.#isWaiting;
    if (turn !== this.#turn || !isEnd(type)) return false;
    this.#isWaiting = isUnanswered(data, this.#event);
    return !this.#isWaiting;
  }
}

export function isEnd(type: string): type is End {
  return type === 'chat.complete' || type === 'chat.error';
}

/** Whether the end of a turn leaves the event to the next turn. */
export function isUnanswered(
  { unanswered_events: left }: Readonly<Record<string, unknown>>,
  event: string,
): boolean {
  return Array.isArray(left) && left.includes(event);
}
