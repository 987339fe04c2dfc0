import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { Cancelled, Work } from '../../base/signal.ts';
import type { AgentSettings, Budgets } from '../../sdk/contract/agent-settings.ts';
import type { TurnView } from '../../timeline/view.ts';
import { createTurnLedger, type TurnLedger } from '../../tools/services/turn-ledger.ts';
import { noAgentSettings, planSettings } from '../agent/plan-settings.ts';
import { resolversOf } from '../agent/resolvers.ts';
import {
  agentOfTurn,
  choiceOfModel,
  promptAgentOfTurn,
  type RoundProtocol,
  type VisibleAgent,
  withNamedModel,
} from '../agent/turn-agent.ts';
import { budgetsOf, choiceOf, namedModelOf } from '../agent/turn-data.ts';
import type { Publisher } from '../live/publisher.ts';
import type { PlanInputs } from '../plan/plan.ts';
import type { Engine } from '../ports/engine.ts';
import type { ExternalAgent } from '../ports/external-agent.ts';
import type { LeasedConversation } from './leased-conversation.ts';

/** A worker's work on one conversation while it holds the lease, with what the steps need. */
export class WorkerSession implements AsyncDisposable {
  readonly engine: Engine;
  readonly conversation: LeasedConversation;
  readonly publisher: Publisher;
  /** The agent program that works on the turn, while it runs. */
  external: { readonly agent: string; readonly running: ExternalAgent } | undefined;
  /** Seq of the newest known steer. */
  #newestSteer = 0;
  #work: { readonly work: Work; readonly seen: number } | undefined;
  #agent: { readonly turn: TurnView['id']; readonly agent: VisibleAgent } | undefined;
  #ledger: { readonly turn: TurnView['id']; readonly ledger: TurnLedger } | undefined;

  constructor(engine: Engine, conversation: LeasedConversation, publisher: Publisher) {
    this.engine = engine;
    this.conversation = conversation;
    this.publisher = publisher;
    conversation.onSteer((seq) => this.steer(seq));
  }

  get turn(): TurnView {
    const turn = this.conversation.view.openTurn;
    invariant(turn, 'a step on a turn needs an open turn');
    return turn;
  }

  /**
   * The agent of the open turn with the tools that may run. A round keeps the agent it started with: changes of tools take
   * effect in the next one. Fault `BUNDLE_INVALID` if the agent no longer exists.
   */
  get agent(): VisibleAgent {
    const { turn } = this;
    const { visible, visibleInRound } = this.conversation.view;
    const isMidRound = turn.rounds.at(-1)?.closed === false;
    if (!isMidRound || this.#agent?.turn !== turn.id) {
      const seen = { visible: isMidRound ? visibleInRound : visible, turn };
      this.#agent = { turn: turn.id, agent: agentOfTurn(this.#resolveAgent(turn), seen) };
    }
    return this.#agent.agent;
  }

  /** The agent with the tools that its next prompt shows. */
  agentInPrompt(protocol: RoundProtocol): AgentSettings {
    const { turn } = this;
    const { visible } = this.conversation.view;
    return promptAgentOfTurn(this.#resolveAgent(turn), { visible, turn, protocol });
  }

  #resolveAgent(turn: TurnView): AgentSettings {
    const choice = choiceOf(turn);
    const agent = this.engine.agent(choice);
    if (!agent)
      throw new Fault('BUNDLE_INVALID', { because: `agent not found: ${JSON.stringify(choice)}` });
    return withNamedModel(agent, turn);
  }

  /** Opens the model that the open turn names, in this process. Throws Fault `MODEL_*`. */
  async openNamedModel(): Promise<void> {
    const { openTurn: turn } = this.conversation.view;
    const model = turn && namedModelOf(turn);
    if (turn === undefined || model === undefined) return;
    const agent = this.engine.agent(choiceOf(turn));
    // The choices of an agent are open since it was loaded.
    if (agent && choiceOfModel(agent, model)) return;
    await this.engine.openModel?.(model);
  }

  /** What parallel calls of the open turn must not hand out twice. */
  get ledger(): TurnLedger {
    const turn = this.turn.id;
    if (this.#ledger?.turn !== turn) {
      this.#ledger = { turn, ledger: createTurnLedger(this.conversation.view, turn) };
    }
    return this.#ledger.ledger;
  }

  /** Ends the agent program, if one runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.external;
    this.external = undefined;
    await ended?.running[Symbol.asyncDispose]();
  }

  get now(): string {
    return new Date(this.engine.clock.now()).toISOString();
  }

  deadlineIn(ms: number): string {
    return new Date(this.engine.clock.now() + ms).toISOString();
  }

  /** Resolves the paths that are not on a log: the agent's skills and its knowledge. */
  get resolvers() {
    return resolversOf(this.agent);
  }

  /** Of the open turn. */
  get budgets(): Budgets {
    return budgetsOf(this.turn, this.agent.budgets);
  }

  planInputs(): PlanInputs {
    const { view, lease } = this.conversation;
    const { openTurn: turn } = view;
    const { row, attempts } = lease;
    const found = turn && this.engine.agent(choiceOf(turn));
    const agent = found && withNamedModel(found, turn);
    return {
      unanswered: this.conversation.unanswered,
      // A turn that was opened since has not lost an owner yet.
      takeovers: turn && turn.openSeq > row.head ? 0 : attempts - 1,
      ...(row.forkedFrom ? { forkedAt: row.forkedFrom.seq } : {}),
      now: this.engine.clock.now(),
      ...(agent ? planSettings(this.engine, { agent, turn, view }) : noAgentSettings),
    };
  }

  /** Work that any steer newer than `seen` stops: one generation, one tool. Dispose it when it has ended. */
  interruptible(seen: number): Work {
    const work = new Work(this.conversation.signal);
    this.#work = { work, seen };
    if (Math.max(this.#newestSteer, this.#loggedSteer) > seen) work.stop('steer');
    return work;
  }

  /** Includes a steer that was never signalled because it arrived before this session. */
  get #loggedSteer(): number {
    const events = this.conversation.view.openTurn?.events ?? [];
    return events.findLast(({ type }) => type === 'external.steer')?.seq ?? 0;
  }

  /** A steer was accepted at `seq`: running work that has not seen it stops; later work has it in its view. */
  steer(seq: TurnView['openSeq']): void {
    this.conversation.noteHead(seq);
    if (seq <= this.#newestSteer) return;
    this.#newestSteer = seq;
    // The first append of a session reports the last steer, which may be long over.
    if (this.#work && seq > this.#work.seen) this.#work.work.stop('steer');
  }
}

/** Whether the user stopped the work. */
export function isSteered(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Cancelled && signal.reason.why === 'steer';
}
