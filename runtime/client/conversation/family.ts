import type { ChatEvent } from '../api/types.ts';
import { fieldsOf } from '../events/to-event.ts';
import type { ClientContext } from '../transport/client-context.ts';

type FamilyOptions = Pick<ClientContext, 'open'> & { readonly signal?: AbortSignal };

/**
 * The events of a conversation and of all agents that work for it, on one stream. Each conversation keeps its own order.
 * Events of an agent follow the event that names its conversation; the event that reports its end follows all of them.
 */
export async function* familyEvents(
  root: string,
  events: (signal: AbortSignal) => AsyncIterable<ChatEvent>,
  { open, signal }: FamilyOptions,
): AsyncGenerator<ChatEvent> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const stop = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const family = new Family(open, ending.signal);
  try {
    family.follow(root, events(ending.signal));
    for (;;) {
      const { source, next } = await family.arrival();
      if ('error' in next && source.id === root) throw next.error;
      if (!('event' in next) && source.id === root) return;
      yield* family.take(source, 'event' in next ? next.event : undefined);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    ending.abort();
  }
}

type Source = {
  readonly id: string;
  readonly events: AsyncIterator<ChatEvent>;
  isSeen: boolean;
  isOver: boolean;
  /** It waits until the agent of this conversation was shown to its end. */
  held: { readonly event: ChatEvent; readonly until: string } | undefined;
};

type Next = { readonly event: ChatEvent } | { readonly error: unknown } | Record<never, never>;
type Arrival = { readonly source: Source; readonly next: Next };

class Family {
  readonly #openConversation: ClientContext['open'];
  readonly #signal: AbortSignal;
  readonly #sources = new Map<string, Source>();
  /** The conversation of the agent that works on a call, or on a step of its plan. */
  readonly #works = new Map<string, string>();
  /** At most one for each source. */
  readonly #arrived: Arrival[] = [];
  #wake: () => void = () => undefined;

  constructor(open: ClientContext['open'], signal: AbortSignal) {
    this.#openConversation = open;
    this.#signal = signal;
  }

  follow(id: string, events: AsyncIterable<ChatEvent>): void {
    const made = events[Symbol.asyncIterator]();
    const source = { id, events: made, isSeen: false, isOver: false, held: undefined };
    this.#sources.set(id, source);
    this.#pull(source);
  }

  async arrival(): Promise<Arrival> {
    for (;;) {
      const [first] = this.#arrived.splice(0, 1);
      if (first) return first;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The events that may be shown now. Undefined: the source has ended. */
  *take(source: Source, event: ChatEvent | undefined): Generator<ChatEvent> {
    const until = event && this.#endedBy(event);
    source.isSeen ||= event !== undefined;
    if (event && until !== undefined) source.held = { event, until };
    else {
      if (event) yield event;
      if (event && !isLast(event)) this.#pull(source);
      else yield* this.#end(source);
    }
    const started = event && this.#startedBy(event);
    if (started !== undefined) this.#open(started);
  }

  *#end(source: Source): Generator<ChatEvent> {
    // The root goes on with further turns.
    if (this.#sources.keys().next().value === source.id) {
      this.#pull(source);
      return;
    }
    source.isOver = true;
    for (const other of this.#sources.values()) {
      if (other.held?.until !== source.id) continue;
      const { event } = other.held;
      other.held = undefined;
      yield event;
      this.#pull(other);
    }
  }

  #open(id: string): void {
    if (this.#sources.has(id)) return;
    // An agent's conversation is named before it exists.
    const isExpected = () => !this.#signal.aborted && this.#sources.get(id)?.isOver !== true;
    const child = this.#openConversation(id, { isExpected });
    this.follow(id, child.events({ signal: this.#signal }));
  }

  #pull(source: Source): void {
    source.events.next().then(
      ({ done, value }) => this.#arrive({ source, next: done === true ? {} : { event: value } }),
      (error: unknown) => this.#arrive({ source, next: { error } }),
    );
  }

  #arrive(arrival: Arrival): void {
    this.#arrived.push(arrival);
    this.#wake();
  }

  /** The conversation that starts with the event. */
  #startedBy(event: ChatEvent): string | undefined {
    if (event.type !== 'chat.step' || event.event.step !== 'agent.call') return undefined;
    const { conversation } = fieldsOf(event.data);
    if (typeof conversation !== 'string') return undefined;
    this.#works.set(workOf(event), conversation);
    return conversation;
  }

  /** The conversation of an agent that has ended, as the event says, and was not shown to its end. */
  #endedBy(event: ChatEvent): string | undefined {
    const isEnd =
      (event.type === 'chat.step' && event.event.step === 'agent.result') ||
      (event.type === 'chat.tool' && event.data.state === 'done');
    const ended = isEnd ? this.#works.get(workOf(event)) : undefined;
    const source = ended === undefined ? undefined : this.#sources.get(ended);
    if (!source || source.isOver) return undefined;
    const data = 'data' in event ? fieldsOf(event.data) : {};
    const isOk = data['ok'] === true || fieldsOf(data['result'])['ok'] === true;
    if (isOk || source.isSeen) return source.id;
    // It may never have begun.
    source.isOver = true;
    return undefined;
  }
}

function workOf(event: ChatEvent): string {
  const { call, step } = 'data' in event ? fieldsOf(event.data) : {};
  return `${event.conversationId} ${String(call)} ${String(step ?? '')}`;
}

/** The last event of the turn of an agent, or of its conversation. */
function isLast({ type, ...event }: ChatEvent): boolean {
  if (type === 'chat.complete' || type === 'chat.error') return true;
  const { code } = 'data' in event ? fieldsOf(event.data) : {};
  return type === 'chat.service' && code === 'conversation_erased';
}
