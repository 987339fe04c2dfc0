import type { Refusal } from '../../base/refusal.ts';
import type { ConversationState, MessagePart, StoryTurn, TurnState } from '../api/story.ts';
import type { ChatEvent, Delta } from '../api/types.ts';
import { applyEvent, emptyStory, type Story, withEarlier } from '../story/story.ts';
import { DeltaStreams } from './delta-streams.ts';
import { fieldsOf } from './to-event.ts';

type Summary = Omit<TurnState, keyof StoryTurn>;
type Change = Partial<Summary>;
/** A message that this client sends: a prompt, followup or steer. */
export type OwnMessage = Pick<MessagePart, 'message' | 'event' | 'text' | 'files'>;

/**
 * The optimistic state of a conversation: the events received, plus messages that this client has sent. A prompt appears
 * immediately as a turn under its message id, and becomes a turn of the server when it is accepted.
 */
export class StateTracker {
  #state: ConversationState = { status: 'offline', turns: [], unsent: [], approvals: [] };
  #story: Story = emptyStory;
  #connected = false;
  #active = false;
  readonly #streams = new DeltaStreams();

  get state(): ConversationState {
    return this.#state;
  }

  connected(connected: boolean): void {
    this.#connected = connected;
    this.#setTurns(this.#state.turns);
  }

  sending(message: OwnMessage): void {
    const part = toPart(message, { state: 'sending' });
    if (message.event === 'prompt') {
      const turn = { ...emptyTurn(message.message), pending: true, prompt: message.text };
      this.#setTurns([...this.#state.turns, { ...turn, parts: [part] }]);
    } else this.#setUnsent(message.message, part);
  }

  /** A prompt opened `turn`, or joined it and is part of that turn. */
  accepted(own: OwnMessage, turn: string): void {
    const { message } = own;
    const part = toPart(own, { state: 'accepted' });
    if (this.#isUnsent(message)) this.#setUnsent(message, part);
    const known = this.#state.turns.some(({ id }) => id === turn);
    const rest = this.#state.turns.filter(({ id }) => id !== message || !known);
    const accepted = { id: turn, pending: false, parts: [part] };
    this.#setTurns(rest.map((each) => (each.id === message ? { ...each, ...accepted } : each)));
  }

  failed(own: OwnMessage, refusal: Refusal): void {
    const { message } = own;
    const part = toPart(own, { state: 'refused', problem: refusal.message });
    if (this.#isUnsent(message)) this.#setUnsent(message, part);
    const change = { pending: false, failed: refusal, parts: [part] };
    this.#setTurns(
      this.#state.turns.map((turn) => (turn.id === message ? { ...turn, ...change } : turn)),
    );
  }

  /** Removes a message that was not accepted. */
  discard(message: string): void {
    if (this.#isUnsent(message)) this.#setUnsent(message);
    const turns = this.#state.turns.filter(({ id, failed }) => id !== message || !failed);
    if (turns.length < this.#state.turns.length) this.#setTurns(turns);
  }

  /** Adds the turns of events before the first known one. */
  earlier(events: readonly ChatEvent[]): void {
    const before = new StateTracker();
    for (const event of [...events, ...this.#story.orphans]) before.apply(event);
    this.#story = withEarlier(this.#story, events);
    this.#setTurns([...before.state.turns, ...this.#state.turns]);
  }

  apply(event: ChatEvent): void {
    if (event.type === 'chat.start') this.#start(event.turnId, event.data.text);
    this.#applyToStory(event);
    const delta = this.#streams.next(event);
    if (delta) this.#changeTurn(event.turnId, (turn) => withDelta(turn, delta));
    if (event.type === 'chat.files') {
      const { items } = event.data;
      this.#changeTurn(event.turnId, ({ files }) => ({ files: [...files, ...items] }));
    }
    if (event.type === 'chat.tool') {
      const { call, tool, state } = event.data;
      this.#changeTurn(event.turnId, ({ tools }) => ({
        tools: [...tools.filter((each) => each.call !== call), { call, tool, state }],
      }));
    }
    if (event.type === 'chat.step') this.#applyStep(event);
    this.#applyApproval(event);
    if (event.type === 'conv.status') {
      this.#active = event.data.state === 'in_progress';
      this.#setTurns(this.#state.turns);
    }
  }

  #applyToStory(event: ChatEvent): void {
    const before = this.#story;
    this.#story = applyEvent(before, event);
    if (this.#story === before) return;
    const known = new Set(before.turns);
    const changed = new Map(
      this.#story.turns.flatMap((turn) => (known.has(turn) ? [] : [[turn.id, turn]])),
    );
    if (changed.size === 0) return;
    this.#setTurns(
      this.#state.turns.map((turn) => {
        const story = changed.get(turn.id);
        return story ? { ...turn, ...story } : turn;
      }),
    );
  }

  #applyStep(event: ChatEvent & { type: 'chat.step' }): void {
    const { text, message_id } = fieldsOf(event.data);
    if (event.event.step === 'chat.completion') {
      this.#changeTurn(event.turnId, () => ({ answer: String(text) }));
    }
    if (event.event.step === 'event.accepted' && this.#isUnsent(message_id)) {
      this.#setUnsent(String(message_id));
    }
  }

  #start(id: string, prompt: string): void {
    const waiting = this.#state.turns.find((turn) => turn.pending && turn.prompt === prompt);
    const turns = this.#state.turns.filter((turn) => turn !== waiting && turn.id !== id);
    this.#setTurns([...turns, { ...emptyTurn(id), prompt }]);
  }

  #isUnsent(message: unknown): boolean {
    return this.#state.unsent.some((each) => each.message === message);
  }

  /** Adds or replaces an unsent message, or removes it. */
  #setUnsent(message: string, part?: ConversationState['unsent'][number]): void {
    const { unsent } = this.#state;
    const at = unsent.findIndex((each) => each.message === message);
    const others = unsent.filter((each) => each.message !== message);
    const kept = part && at !== -1 ? unsent.with(at, part) : others;
    this.#state = { ...this.#state, unsent: part && at === -1 ? [...others, part] : kept };
  }

  #applyApproval(event: ChatEvent): void {
    if (event.type === 'chat.approval') {
      const { request, title, kind, detail } = event.data;
      this.#setApproval(request, {
        ...{ request, title, turn: event.turnId },
        ...('tool' in event.data ? { tool: event.data.tool } : {}),
        ...(kind === undefined ? {} : { kind }),
        ...(detail === undefined ? {} : { detail }),
      });
    }
    if (event.type === 'chat.step' && event.event.step === 'approval.closed') {
      this.#setApproval(String(fieldsOf(event.data)['request']));
    }
    if (event.type === 'chat.complete' || event.type === 'chat.error') this.#end(event.turnId);
  }

  /** Adds an open approval request, or removes it. */
  #setApproval(request: string, approval?: ConversationState['approvals'][number]): void {
    const others = this.#state.approvals.filter((each) => each.request !== request);
    this.#state = { ...this.#state, approvals: approval ? [...others, approval] : others };
    this.#setTurns(this.#state.turns);
  }

  #end(turn: string): void {
    const approvals = this.#state.approvals.filter((each) => each.turn !== turn);
    if (approvals.length < this.#state.approvals.length) {
      this.#state = { ...this.#state, approvals };
      this.#setTurns(this.#state.turns);
    }
  }

  #changeTurn(id: string, change: (turn: TurnState) => Change): void {
    this.#setTurns(
      this.#state.turns.map((turn) => (turn.id === id ? { ...turn, ...change(turn) } : turn)),
    );
  }

  #setTurns(turns: readonly TurnState[]): void {
    this.#state = { ...this.#state, status: this.#statusOf(turns), turns };
  }

  #statusOf(turns: readonly TurnState[]): ConversationState['status'] {
    if (!this.#connected) return 'offline';
    if (!this.#active) return 'idle';
    const waits =
      this.#state.approvals.length > 0 ||
      (turns.at(-1)?.tools.some(({ state }) => waiting.has(state)) ?? false);
    return waits ? 'parked' : 'working';
  }
}

/** States of a call that waits for a person or a client. */
const waiting: ReadonlySet<string> = new Set(['awaiting_approval', 'external']);

function emptyTurn(id: string): TurnState {
  const story = { bundle: '', agent: '', seq: 0, startedAt: '', parts: [], sources: [] };
  const unknown = { suggestions: [], feedback: undefined, end: undefined };
  const summary = { pending: false, prompt: '', answer: '', channels: {}, tools: [], files: [] };
  return { id, ...story, ...unknown, ...summary };
}

function toPart(
  own: OwnMessage,
  more: Pick<MessagePart, 'state' | 'problem'>,
): ConversationState['unsent'][number] {
  return { kind: 'message', key: own.message, ...own, ...more };
}

function withDelta(turn: TurnState, { marker, text, offset, stream }: Delta): Change {
  const before = turn.channels[marker] ?? '';
  const between = offset === 0 && before !== '' && !before.endsWith('\n') ? '\n' : '';
  const channels = { ...turn.channels, [marker]: before + between + text };
  const answer = offset === 0 ? text : turn.answer + text;
  return marker === 'answer' && stream !== '' ? { channels, answer } : { channels };
}
