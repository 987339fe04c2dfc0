import { Refusal } from '../../base/refusal.ts';
import type { Block } from '../api/types.ts';
import type { SubscribeAck, WireEnvelope } from '../protocol/envelope.ts';
import { fetchPageMax } from '../protocol/limits.ts';
import { toRefusal } from '../protocol/to-refusal.ts';
import type { ClientContext } from '../transport/client-context.ts';
import { fetchJson } from '../transport/http.ts';
import { untilReachable } from '../transport/until-reachable.ts';

type Page = { readonly blocks: readonly Block[]; readonly next: number; readonly head: number };

/** Reads all blocks of a conversation, page by page. */
export async function readBlocks(
  { http, scope }: ClientContext,
  conversation: string,
): Promise<readonly Block[]> {
  const path = `/conversations/${scope}/${conversation}/fetch`;
  const blocks: Block[] = [];
  for (let after = 0; ; ) {
    const body = JSON.stringify({ after, limit: fetchPageMax });
    const page = await fetchJson<Page>(http, path, { method: 'POST', body });
    blocks.push(...page.blocks);
    if (page.next >= page.head || page.next <= after) return blocks;
    after = page.next;
  }
}

/** The same, as soon as a server can be reached. */
export function readBlocksOnceReachable(
  context: ClientContext,
  conversation: string,
): Promise<readonly Block[]> {
  return untilReachable(context.connection, () => readBlocks(context, conversation));
}

type RequestEarlier = (request: { before: string; tail: number }) => Promise<SubscribeAck>;

/** Loads the events before the first event that the client knows, turn by turn, backwards. */
export class History {
  readonly #request: RequestEarlier;
  /** Right before the first known event; undefined if nothing came before it. */
  #start: string | undefined;
  readonly #ready: Promise<void>;
  #settle: (failed?: Refusal) => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ask: RequestEarlier) {
    this.#request = ask;
    this.#ready = new Promise((resolve, reject) => {
      this.#settle = (failed) => (failed ? reject(failed) : resolve());
    });
    this.#ready.catch(() => undefined);
  }

  /** Whether events exist before the first known event, as far as the server has reported. */
  get hasEarlier(): boolean {
    return this.#start !== undefined;
  }

  begin(start: string | undefined): void {
    this.#start = start === 'now' ? undefined : start;
    this.#settle(start === 'now' ? noStart() : undefined);
  }

  /** The position of the first event can no longer become known. */
  fail(error: Refusal): void {
    this.#settle(error);
  }

  /** Loads the `count` turns before the known ones, or fewer at the beginning. Requests run one after the other. */
  earlier(count: number): Promise<readonly WireEnvelope[]> {
    const loaded = this.#last.then(() => this.#load(count));
    this.#last = loaded.catch(() => undefined);
    return loaded;
  }

  async #load(tail: number): Promise<readonly WireEnvelope[]> {
    await this.#ready;
    if (this.#start === undefined) return [];
    const ack = await this.#request({ before: this.#start, tail });
    if (!ack.ok) throw toRefusal(ack.error);
    this.#start = ack.start;
    return ack.earlier ?? [];
  }
}

function noStart(): Refusal {
  return new Refusal(
    'invalid_input',
    'earlier requires a conversation that begins with `tail` or a cursor, not with `now`',
  );
}
