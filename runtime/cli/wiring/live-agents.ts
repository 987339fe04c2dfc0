import type { AgentChoice, AgentHold } from '../../engine/ports/engine.ts';
import type { BundleDirectory } from '../../gateway/ports/bundle-directory.ts';
import type { BundleOperation, RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { type Agents, createAgents } from './agent-directory.ts';

type Bundles = readonly [RuntimeBundle, ...RuntimeBundle[]];

/** The bundles as they were loaded at one time, for as long as anything runs on them. */
type Generation = { readonly bundles: Bundles; readonly agents: Agents; uses: number };

/**
 * The bundles that serve, which others may take the place of while turns run.
 *
 * 1. A turn keeps the bundles it began with until it is left; whatever begins later has the newest.
 * 2. `dispose` of bundles that were replaced is called once nothing runs on them any more, and before this one is disposed of.
 */
export class LiveAgents implements AsyncDisposable {
  readonly #first: string | undefined;
  readonly #leaving = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;
  #now: Generation;

  constructor(
    bundles: Bundles,
    { first, failed }: { first: string | undefined; failed(error: unknown): void },
  ) {
    this.#first = first;
    this.#failed = failed;
    this.#now = this.#open(bundles);
  }

  /** What the door asks: always the newest. */
  readonly directory: BundleDirectory = {
    default: () => this.#now.agents.default(),
    agent: (bundle, agent) => this.#now.agents.agent(bundle, agent),
    kind: (bundle, kind) => this.#now.agents.kind(bundle, kind),
    bundles: () => this.#now.agents.bundles(),
    widgets: (bundle) => this.#now.agents.widgets(bundle),
    operations: (bundle) =>
      this.#now.agents.operations(bundle).map((one) => this.#kept(one, this.#now)),
    userSecrets: (bundle) => this.#now.agents.userSecrets(bundle),
    props: (bundle) => this.#now.agents.props(bundle),
    admitting: () => this.#now.agents.admitting(),
    admitEvent: (bundle) => {
      const generation = this.#now;
      const admit = generation.agents.admitEvent(bundle);
      return admit && ((...asked) => this.#during(generation, () => admit(...asked)));
    },
    operation: (bundle, id) => {
      const generation = this.#now;
      const found = generation.agents.operation(bundle, id);
      return found && this.#kept(found, generation);
    },
  };

  get bundles(): Bundles {
    return this.#now.bundles;
  }

  engage(choice: AgentChoice) {
    return this.#now.agents.engage(choice);
  }

  /** For one visit: the newest bundles at each turn that it comes to. */
  hold(): AgentHold {
    let held: { readonly turn: string | undefined; readonly generation: Generation } | undefined;
    const leave = () => {
      if (held) this.#leave(held.generation);
      held = undefined;
    };
    return {
      agent: (choice) => {
        if (!held || held.turn !== choice.turn) {
          leave();
          held = { turn: choice.turn, generation: this.#enter(this.#now) };
        }
        return held.generation.agents.engage(choice);
      },
      [Symbol.dispose]: leave,
    };
  }

  /** From now on these serve. */
  replace(bundles: Bundles): void {
    const before = this.#now;
    this.#now = this.#open(bundles);
    this.#leave(before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#leaving);
  }

  /** To serve is a use of its own. */
  #open(bundles: Bundles): Generation {
    return { bundles, agents: createAgents(bundles, { first: this.#first }), uses: 1 };
  }

  #enter(generation: Generation): Generation {
    generation.uses += 1;
    return generation;
  }

  #leave(generation: Generation): void {
    generation.uses -= 1;
    if (generation.uses > 0) return;
    const over = Promise.all(generation.bundles.map((bundle) => bundle.dispose()))
      .then(() => undefined, this.#failed)
      .finally(() => this.#leaving.delete(over));
    this.#leaving.add(over);
  }

  #kept(operation: BundleOperation, generation: Generation): BundleOperation {
    return {
      ...operation,
      answer: (...asked) => this.#during(generation, () => operation.answer(...asked)),
    };
  }

  async #during<T>(generation: Generation, work: () => T): Promise<Awaited<T>> {
    this.#enter(generation);
    try {
      return await work();
    } finally {
      this.#leave(generation);
    }
  }
}
