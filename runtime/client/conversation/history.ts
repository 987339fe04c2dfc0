import { Refusal } from '../../base/refusal.ts';
import type { Block } from '../api/types.ts';
import type { SubscribeAck, WireEnvelope } from '../protocol/envelope.ts';
import { fetchPageMax } from '../protocol/limits.ts';
import { toRefusal } from '../protocol/to-refusal.ts';
import type { ClientContext } from '../transport/client-context.ts';
import { fetchJson } from '../transport/http.ts';

type Page = { readonly blocks: readonly Block[]; readonly next: number; readonly head: number };

/** All blocks of a conversation, page by page. */
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

type RequestEarlier = (request: { before: string; tail: number }) => Promise<SubscribeAck>;

/** What a conversation told before the first event that its client knows: turn by turn, backwards. */
export class History {
  readonly #request: RequestEarlier;
  /** Right before the first known event; undefined: nothing came before it. */
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

  /** Something came before the first known event, as far as the server has said. */
  get hasEarlier(): boolean {
    return this.#start !== undefined;
  }

  begin(start: string | undefined): void {
    this.#start = start === 'now' ? undefined : start;
    this.#settle(start === 'now' ? noStart() : undefined);
  }

  /** Where the first event stands will never be known. */
  fail(error: Refusal): void {
    this.#settle(error);
  }

  /** The `count` turns before those that are known; fewer where there are no more. One request after the other. */
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
  return new Refusal('invalid_input', 'earlier: begin with `tail` or a cursor instead of `now`');
}
