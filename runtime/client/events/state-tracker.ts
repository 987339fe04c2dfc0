import type { Refusal } from '../../base/refusal.ts';
import type { ChatEvent, ConversationState, Delta, TurnState } from '../api/types.ts';
import { DeltaStreams } from './delta-streams.ts';
import { fieldsOf } from './to-event.ts';

type Change = Partial<Omit<TurnState, 'id'>>;

/**
 * The optimistic state of a conversation: the events received, plus messages that this client has sent. A message appears
 * immediately under its message id, and becomes a turn of the server when it is accepted.
 */
export class StateTracker {
  #state: ConversationState = { status: 'offline', turns: [], approvals: [] };
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

  pending(message: string, prompt: string): void {
    this.#setTurns([...this.#state.turns, { ...newTurn(message), pending: true, prompt }]);
  }

  /** The message opened `turn`, or joined it and is part of that turn. */
  accepted(message: string, turn: string): void {
    const known = this.#state.turns.some(({ id }) => id === turn);
    const rest = this.#state.turns.filter(({ id }) => id !== message || !known);
    this.#setTurns(
      rest.map((each) => (each.id === message ? { ...each, id: turn, pending: false } : each)),
    );
  }

  failed(message: string, refusal: Refusal): void {
    this.#changeTurn(message, () => ({ pending: false, failed: refusal }));
  }

  apply(event: ChatEvent): void {
    const delta = this.#streams.next(event);
    if (delta) this.#changeTurn(event.turnId, (turn) => withDelta(turn, delta));
    if (event.type === 'chat.start') this.#start(event.turnId, event.data.text);
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
    if (event.type === 'chat.step' && event.event.step === 'chat.completion') {
      const { text } = fieldsOf(event.data);
      this.#changeTurn(event.turnId, () => ({ answer: String(text) }));
    }
    this.#applyApproval(event);
    if (event.type === 'conv.status') {
      this.#active = event.data.state === 'in_progress';
      this.#setTurns(this.#state.turns);
    }
  }

  #start(id: string, prompt: string): void {
    const waiting = this.#state.turns.find((turn) => turn.pending && turn.prompt === prompt);
    const turns = this.#state.turns.filter((turn) => turn !== waiting && turn.id !== id);
    this.#setTurns([...turns, { ...newTurn(id), prompt }]);
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

function newTurn(id: string): TurnState {
  return { id, pending: false, prompt: '', answer: '', channels: {}, tools: [], files: [] };
}

function withDelta(turn: TurnState, { marker, text, offset, stream }: Delta): Change {
  const before = turn.channels[marker] ?? '';
  const between = offset === 0 && before !== '' && !before.endsWith('\n') ? '\n' : '';
  const channels = { ...turn.channels, [marker]: before + between + text };
  const answer = offset === 0 ? text : turn.answer + text;
  return marker === 'answer' && stream !== '' ? { channels, answer } : { channels };
}
