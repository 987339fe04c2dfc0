import type { AgentChoice, AgentHold } from '../../engine/ports/engine.ts';
import type { BundleDirectory } from '../../gateway/ports/bundle-directory.ts';
import type { BundleOperation, RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { type AgentDirectory, createAgentDirectory } from './agent-directory.ts';

type Bundles = readonly [RuntimeBundle, ...RuntimeBundle[]];

/** The bundles as they were loaded at one time, for as long as anything runs on them. */
type Generation = { readonly bundles: Bundles; readonly agents: AgentDirectory; uses: number };

/**
 * The bundles that serve, which others may take the place of while turns run.
 *
 * 1. A turn keeps the bundles it began with until it is left; whatever begins later has the newest.
 * 2. `dispose` of bundles that were replaced is called once nothing runs on them any more, and before this one is disposed of.
 */
export class LiveAgents implements AsyncDisposable {
  readonly #first: string | undefined;
  readonly #disposing = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;
  #current: Generation;

  constructor(
    bundles: Bundles,
    { first, failed }: { first: string | undefined; failed(error: unknown): void },
  ) {
    this.#first = first;
    this.#failed = failed;
    this.#current = this.#open(bundles);
  }

  /** What the door asks: always the newest. */
  readonly directory: BundleDirectory = {
    default: () => this.#current.agents.default(),
    agent: (bundle, agent) => this.#current.agents.agent(bundle, agent),
    kind: (bundle, kind) => this.#current.agents.kind(bundle, kind),
    bundles: () => this.#current.agents.bundles(),
    widgets: (bundle) => this.#current.agents.widgets(bundle),
    operations: (bundle) =>
      this.#current.agents
        .operations(bundle)
        .map((one) => this.#keptDuringCalls(one, this.#current)),
    userSecrets: (bundle) => this.#current.agents.userSecrets(bundle),
    props: (bundle) => this.#current.agents.props(bundle),
    admitting: () => this.#current.agents.admitting(),
    admitEvent: (bundle) => {
      const generation = this.#current;
      const admit = generation.agents.admitEvent(bundle);
      return admit && ((...asked) => this.#useDuring(generation, () => admit(...asked)));
    },
    operation: (bundle, id) => {
      const generation = this.#current;
      const found = generation.agents.operation(bundle, id);
      return found && this.#keptDuringCalls(found, generation);
    },
  };

  get bundles(): Bundles {
    return this.#current.bundles;
  }

  engage(choice: AgentChoice) {
    return this.#current.agents.engage(choice);
  }

  /** For one visit: the newest bundles at each turn that it comes to. */
  hold(): AgentHold {
    let held: { readonly turn: string | undefined; readonly generation: Generation } | undefined;
    const leave = () => {
      if (held) this.#release(held.generation);
      held = undefined;
    };
    return {
      agent: (choice) => {
        if (!held || held.turn !== choice.turn) {
          leave();
          held = { turn: choice.turn, generation: this.#use(this.#current) };
        }
        return held.generation.agents.engage(choice);
      },
      [Symbol.dispose]: leave,
    };
  }

  /** From now on these serve. */
  replace(bundles: Bundles): void {
    const before = this.#current;
    this.#current = this.#open(bundles);
    this.#release(before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#disposing);
  }

  /** To serve is a use of its own. */
  #open(bundles: Bundles): Generation {
    return { bundles, agents: createAgentDirectory(bundles, { first: this.#first }), uses: 1 };
  }

  #use(generation: Generation): Generation {
    generation.uses += 1;
    return generation;
  }

  #release(generation: Generation): void {
    generation.uses -= 1;
    if (generation.uses > 0) return;
    const over = Promise.all(generation.bundles.map((bundle) => bundle.dispose()))
      .then(() => undefined, this.#failed)
      .finally(() => this.#disposing.delete(over));
    this.#disposing.add(over);
  }

  #keptDuringCalls(operation: BundleOperation, generation: Generation): BundleOperation {
    return {
      ...operation,
      answer: (...asked) => this.#useDuring(generation, () => operation.answer(...asked)),
    };
  }

  async #useDuring<T>(generation: Generation, work: () => T): Promise<Awaited<T>> {
    this.#use(generation);
    try {
      return await work();
    } finally {
      this.#release(generation);
    }
  }
}
