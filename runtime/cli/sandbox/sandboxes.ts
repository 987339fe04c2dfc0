import { Refusal } from '../../base/refusal.ts';
import type {
  ExecEvent,
  ExecHost,
  ExecRequest,
  Language,
  ProgramKind,
  Sandbox,
} from '../../tools/ports/sandbox.ts';
import type { SandboxPlace } from '../../tools/ports/sandbox-place.ts';

/** Opens the sandbox of a place; undefined with the reason if it does not pass the isolation check. */
export type OpenPlace = (
  place: SandboxPlace,
) => Promise<{ readonly sandbox?: Sandbox; readonly refusal?: string }>;

type Options = {
  readonly open: OpenPlace;
  /** Number of processors of the installation's own sandbox. */
  readonly cpus: number;
};

/**
 * The installation's own sandbox, and those that agents choose beside it: each is opened and checked when its first program
 * comes. One that cannot be opened is tried again with the next program. A choice that equals the installation's own
 * sandbox is that sandbox.
 */
export class Sandboxes implements Sandbox {
  readonly backend: string;
  readonly languages: readonly Language[];
  readonly #own: Sandbox;
  readonly #open: OpenPlace;
  readonly #ownCpus: number;
  readonly #others = new Map<string, Promise<Sandbox>>();
  #kinds: readonly ProgramKind[] = [];

  constructor(own: Sandbox, { open, cpus }: Options) {
    this.#own = own;
    this.#open = open;
    this.#ownCpus = cpus;
    this.backend = own.backend;
    this.languages = own.languages;
  }

  /** Refusal `exec_unavailable` if the chosen sandbox cannot be opened. */
  async *run(
    { place, ...request }: ExecRequest,
    host: ExecHost,
    options: { signal: AbortSignal },
  ): AsyncIterable<ExecEvent> {
    yield* (await this.#at(place)).run(request, host, options);
  }

  prepare({ place, ...kind }: ProgramKind): Disposable {
    const key = this.#keyOf(place);
    let isOver = false;
    let prepared: Disposable | undefined;
    const begin = (sandbox: Sandbox) => {
      if (!isOver) prepared = sandbox.prepare?.(kind);
    };
    if (place === undefined || key === undefined) begin(this.#own);
    // Its program will say why it cannot be opened.
    else this.#at(place).then(begin, () => undefined);
    return {
      [Symbol.dispose]: () => {
        isOver = true;
        prepared?.[Symbol.dispose]();
      },
    };
  }

  /** Other sandboxes keep executors ready from their first program on. */
  keep(kinds: readonly ProgramKind[]): void {
    this.#kinds = kinds;
    this.#own.keep?.(this.#kindsAt(undefined));
    for (const [key, opened] of this.#others) {
      opened.then(
        (sandbox) => sandbox.keep?.(this.#kindsAt(key)),
        () => undefined,
      );
    }
  }

  async #at(place: SandboxPlace | undefined): Promise<Sandbox> {
    const key = this.#keyOf(place);
    if (place === undefined || key === undefined) return this.#own;
    const opened = this.#others.get(key) ?? this.#openAt(place, key);
    this.#others.set(key, opened);
    return await opened;
  }

  async #openAt(place: SandboxPlace, key: string): Promise<Sandbox> {
    try {
      const { sandbox, refusal = 'it could not be opened' } = await this.#open(place);
      if (!sandbox) throw new Refusal('exec_unavailable', refusal);
      sandbox.keep?.(this.#kindsAt(key));
      return sandbox;
    } catch (error) {
      this.#others.delete(key);
      throw error;
    }
  }

  #kindsAt(key: string | undefined): readonly ProgramKind[] {
    return this.#kinds
      .filter(({ place }) => this.#keyOf(place) === key)
      .map(({ place: _, ...kind }) => kind);
  }

  /** Undefined for the installation's own sandbox. */
  #keyOf({ mode, image, cpus }: SandboxPlace = {}): string | undefined {
    const isOwn =
      image === undefined &&
      (mode === undefined || mode === modeOf(this.#own)) &&
      (cpus === undefined || cpus === this.#ownCpus);
    return isOwn ? undefined : JSON.stringify([mode, image, cpus]);
  }
}

/** The layout of containers is a setting of the installation, not another mode. */
function modeOf({ backend }: Sandbox): string {
  return backend === 'docker-combined' ? 'docker' : backend;
}
