import type { Violation } from '../protocol/violation.ts';
import type { ActionIdentity } from './action-identity.ts';
import { type ActionRules, createJudge, type Judge } from './rules.ts';

/** `action`: notes and everything of the tool call. `answer`: the final answer. */
export type Lane = 'action' | 'answer';
/** `pending`: hold it back. `allowed`: show it. `denied`: drop it. */
type GateState = 'pending' | 'allowed' | 'denied';

type DeliveredText = {
  readonly instance: number;
  readonly lane: Lane;
  /** UTF-16 units the user has been shown. */
  readonly chars: number;
};

/**
 * What of each decision may be shown while it is still being written. Judges as `readPacket` does, by the
 * same rules in the same order, as soon as a decision has said what it wants.
 */
export interface ReleaseGates {
  /** Tell once, as soon as it is known. A violation: the reply may be stopped here. */
  identify(instance: number, identity: ActionIdentity): Violation | undefined;
  /** The decision turned out unusable: nothing that follows may be shown. */
  reject(): void;
  state(instance: number, lane: Lane): GateState;
  /** Tell what was shown. */
  deliver(instance: number, lane: Lane, text: string): void;
  readonly delivered: readonly DeliveredText[];
  /** Answers shown so far, by instance: for `readPacket`, which keeps what the user has seen. */
  readonly answers: ReadonlyMap<number, string>;
}

export function createReleaseGates(rules: ActionRules): ReleaseGates {
  return new ReplyGates(createJudge(rules), rules.answersHeld ?? false);
}

class ReplyGates implements ReleaseGates {
  readonly answers = new Map<number, string>();
  readonly #judge: Judge;
  readonly #answersHeld: boolean;
  readonly #states = new Map<number, { readonly [lane in Lane]: GateState }>();
  readonly #delivered = new Map<string, DeliveredText>();

  constructor(judge: Judge, answersHeld: boolean) {
    this.#judge = judge;
    this.#answersHeld = answersHeld;
  }

  get delivered(): readonly DeliveredText[] {
    return [...this.#delivered.values()];
  }

  identify(instance: number, identity: ActionIdentity): Violation | undefined {
    // An earlier decision that ended without saying what it wants is unusable.
    if (this.#states.size < instance) this.#judge.reject();
    const refusal = this.#judge.admit(identity);
    const action = refusal === undefined ? 'allowed' : 'denied';
    const isSilent = identity.action === 'call_tool' || this.#answersHeld;
    const answer = isSilent ? 'denied' : action;
    this.#states.set(instance, { action, answer });
    return refusal;
  }

  reject(): void {
    this.#judge.reject();
  }

  state(instance: number, lane: Lane): GateState {
    return this.#states.get(instance)?.[lane] ?? 'pending';
  }

  deliver(instance: number, lane: Lane, text: string): void {
    const key = `${instance} ${lane}`;
    const chars = (this.#delivered.get(key)?.chars ?? 0) + text.length;
    this.#delivered.set(key, { instance, lane, chars });
    if (lane === 'answer') this.answers.set(instance, (this.answers.get(instance) ?? '') + text);
  }
}
