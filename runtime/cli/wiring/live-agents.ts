import type { AgentChoice, AgentHold } from '../../engine/ports/engine.ts';
import type { BundleDirectory } from '../../gateway/ports/bundle-directory.ts';
import type { BundleOperation, RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { type AgentDirectory, createAgentDirectory } from './agent-directory.ts';

type Bundles = readonly [RuntimeBundle, ...RuntimeBundle[]];

/** One loaded set of bundles; it lives as long as anything uses it. */
type Generation = { readonly bundles: Bundles; readonly agents: AgentDirectory; uses: number };

/**
 * The serving bundles, which can be replaced while turns run.
 *
 * 1. A turn keeps the bundles it began with until its worker releases it; anything that begins later uses the newest.
 * 2. Replaced bundles are disposed of when nothing uses them any more, and before this object is disposed of.
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

  /** For the gateway: always the newest bundles. */
  readonly directory: BundleDirectory = {
    default: () => this.#current.agents.default(),
    agent: (bundle, agent) => this.#current.agents.agent(bundle, agent),
    allows: (bundle, agent) => this.#current.agents.allows(bundle, agent),
    kind: (bundle, kind) => this.#current.agents.kind(bundle, kind),
    bundles: () => this.#current.agents.bundles(),
    widgets: (bundle) => this.#current.agents.widgets(bundle),
    operations: (bundle) =>
      this.#current.agents
        .operations(bundle)
        .map((one) => this.#keptDuringCalls(one, this.#current)),
    userProps: (bundle) => this.#current.agents.userProps(bundle),
    userSecrets: (bundle) => this.#current.agents.userSecrets(bundle),
    props: (bundle) => this.#current.agents.props(bundle),
    settings: (bundle) => this.#current.agents.settings(bundle),
    admitting: () => this.#current.agents.admitting(),
    admitEvent: (bundle) => {
      const generation = this.#current;
      const admit = generation.agents.admitEvent(bundle);
      return admit && ((...request) => this.#useDuring(generation, () => admit(...request)));
    },
    operation: (bundle, id) => {
      const generation = this.#current;
      const found = generation.agents.operation(bundle, id);
      return found && this.#keptDuringCalls(found, generation);
    },
    endpoint: (bundle, id) => {
      const generation = this.#current;
      const found = generation.agents.endpoint(bundle, id);
      if (!found?.verifier) return found;
      return { ...found, verifier: this.#keptDuringCalls(found.verifier, generation) };
    },
  };

  get bundles(): Bundles {
    return this.#current.bundles;
  }

  engage(choice: AgentChoice) {
    return this.#current.agents.engage(choice);
  }

  /** For one worker's tenure of a conversation: each turn uses the bundles that are newest when it starts. */
  hold(): AgentHold {
    let current: { readonly turn: string | undefined; readonly generation: Generation } | undefined;
    const release = () => {
      if (current) this.#release(current.generation);
      current = undefined;
    };
    return {
      agent: (choice) => {
        if (!current || current.turn !== choice.turn) {
          release();
          current = { turn: choice.turn, generation: this.#use(this.#current) };
        }
        return current.generation.agents.engage(choice);
      },
      [Symbol.dispose]: release,
    };
  }

  /** Makes these bundles the serving ones. */
  replace(bundles: Bundles): void {
    const before = this.#current;
    this.#current = this.#open(bundles);
    this.#release(before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#disposing);
  }

  /** Starts with one use: serving. */
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
      answer: (...request) => this.#useDuring(generation, () => operation.answer(...request)),
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
