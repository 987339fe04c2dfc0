import type { ActionIdentity } from '../decision/action-identity.ts';
import { type ActionRules, createJudge, type Judge, type Verdict } from './rules.ts';

/** `action`: the notes and the tool call. `answer`: the final answer. */
export type Lane = 'action' | 'answer';
/** `pending`: hold the text back. `allowed`: show it. `denied`: drop it. */
type GateState = 'pending' | 'allowed' | 'denied';

type DeliveredText = {
  readonly instance: number;
  readonly lane: Lane;
  /** UTF-16 units that the user has seen. */
  readonly chars: number;
};

/**
 * Decides which parts of a decision may be shown while the model still writes it. Applies the same rules in the same
 * order as `readReply`, as soon as the action and the tool of the decision are known.
 */
export interface ReleaseGates {
  /** Call once per decision, as soon as its identity is known. If it is refused, the reply may be stopped here. */
  identify(instance: number, identity: ActionIdentity): Verdict;
  /** The decision is unusable: nothing that follows may be shown. */
  reject(): void;
  /** The last decision does not count: its place is free for another one. */
  withdraw(instance: number): void;
  state(instance: number, lane: Lane): GateState;
  /** Records text that was shown. */
  deliver(instance: number, lane: Lane, text: string): void;
  readonly delivered: readonly DeliveredText[];
  /** Answers shown so far, by instance, for `readReply`, which keeps what the user has seen. */
  readonly answers: ReadonlyMap<number, string>;
}

export function createReleaseGates(rules: ActionRules): ReleaseGates {
  return new ReplyGates(rules);
}

class ReplyGates implements ReleaseGates {
  readonly answers = new Map<number, string>();
  readonly #rules: ActionRules;
  readonly #answersHeld: boolean;
  readonly #identities = new Map<number, ActionIdentity>();
  #judge: Judge;
  readonly #states = new Map<number, { readonly [lane in Lane]: GateState }>();
  readonly #delivered = new Map<string, DeliveredText>();

  constructor(rules: ActionRules) {
    this.#rules = rules;
    this.#judge = createJudge(rules);
    this.#answersHeld = rules.answersHeld ?? false;
  }

  get delivered(): readonly DeliveredText[] {
    return [...this.#delivered.values()];
  }

  identify(instance: number, identity: ActionIdentity): Verdict {
    // An earlier decision that ended without an identity is unusable.
    if (this.#states.size < instance) this.#judge.reject();
    const verdict = this.#judge.admit(identity);
    this.#identities.set(instance, identity);
    const action = verdict.kind === 'accepted' ? 'allowed' : 'denied';
    const isSilent = identity.action === 'call_tool' || this.#answersHeld;
    const answer = isSilent ? 'denied' : action;
    this.#states.set(instance, { action, answer });
    return verdict;
  }

  reject(): void {
    this.#judge.reject();
  }

  withdraw(instance: number): void {
    this.#identities.delete(instance);
    this.#states.delete(instance);
    this.answers.delete(instance);
    this.#delivered.delete(keyOf(instance, 'answer'));
    this.#judge = createJudge(this.#rules);
    for (const identity of this.#identities.values()) this.#judge.admit(identity);
  }

  state(instance: number, lane: Lane): GateState {
    return this.#states.get(instance)?.[lane] ?? 'pending';
  }

  deliver(instance: number, lane: Lane, text: string): void {
    const key = keyOf(instance, lane);
    const chars = (this.#delivered.get(key)?.chars ?? 0) + text.length;
    this.#delivered.set(key, { instance, lane, chars });
    if (lane === 'answer') this.answers.set(instance, (this.answers.get(instance) ?? '') + text);
  }
}

function keyOf(instance: number, lane: Lane): string {
  return `${instance} ${lane}`;
}
