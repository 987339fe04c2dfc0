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

/**
 * The installation's own sandbox, and those that agents choose beside it: each is opened and checked when its first program
 * comes. One that cannot be opened is tried again with the next program.
 */
export class Sandboxes implements Sandbox {
  readonly backend: string;
  readonly languages: readonly Language[];
  readonly #own: Sandbox;
  readonly #open: OpenPlace;
  readonly #others = new Map<string, Promise<Sandbox>>();
  #kinds: readonly ProgramKind[] = [];

  constructor(own: Sandbox, open: OpenPlace) {
    this.#own = own;
    this.#open = open;
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
    let isOver = false;
    let prepared: Disposable | undefined;
    const begin = (sandbox: Sandbox) => {
      if (!isOver) prepared = sandbox.prepare?.(kind);
    };
    if (place === undefined) begin(this.#own);
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
    this.#own.keep?.(kindsAt(kinds, undefined));
    for (const [key, opened] of this.#others) {
      opened.then(
        (sandbox) => sandbox.keep?.(kindsAt(kinds, key)),
        () => undefined,
      );
    }
  }

  async #at(place: SandboxPlace | undefined): Promise<Sandbox> {
    if (place === undefined) return this.#own;
    const key = keyOf(place);
    const opened = this.#others.get(key) ?? this.#openAt(place, key);
    this.#others.set(key, opened);
    return await opened;
  }

  async #openAt(place: SandboxPlace, key: string): Promise<Sandbox> {
    try {
      const { sandbox, refusal = 'it could not be opened' } = await this.#open(place);
      if (!sandbox) throw new Refusal('exec_unavailable', refusal);
      sandbox.keep?.(kindsAt(this.#kinds, key));
      return sandbox;
    } catch (error) {
      this.#others.delete(key);
      throw error;
    }
  }
}

function kindsAt(kinds: readonly ProgramKind[], key: string | undefined): readonly ProgramKind[] {
  return kinds
    .filter(({ place }) => (place && keyOf(place)) === key)
    .map(({ place: _, ...kind }) => kind);
}

function keyOf({ mode, image, cpus }: SandboxPlace): string {
  return JSON.stringify([mode, image, cpus]);
}
