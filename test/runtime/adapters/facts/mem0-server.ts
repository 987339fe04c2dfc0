import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Ids = { user_id?: string; agent_id?: string; run_id?: string };
type Message = { readonly role: string; readonly content: string };
type Memory = Ids & {
  readonly id: string;
  readonly memory: string;
  readonly metadata: Record<string, unknown>;
  readonly created_at: string;
};
type Addition = Ids & { messages: Message[]; metadata?: Record<string, unknown>; infer?: boolean };
type Search = { query: string; filters: Record<string, unknown>; top_k: number };

/** The part of mem0's REST server that the adapter uses; `infer` takes each message of a user as one fact. */
export class Mem0Server implements AsyncDisposable {
  readonly memories: Memory[] = [];
  /** Bodies of `POST /memories`. */
  readonly added: Addition[] = [];
  /** The status of every answer, instead of an answer. */
  failWith: number | undefined;
  /** The next answers fail. */
  failures = 0;
  /** Answers of another form, or none at all. */
  broken: 'answers' | 'silence' | undefined;
  /** `POST /memories` fails. */
  refusesAdditions = false;
  additions = 0;
  readonly #key: string | undefined;
  readonly #http = createServer((request, response) => void this.#serve(request, response));

  constructor(key: string | undefined) {
    this.#key = key;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.broken === 'silence') return;
    const [status, body] = await this.#answer(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<readonly [number, unknown]> {
    const isKnown = this.#key === undefined || request.headers['x-api-key'] === this.#key;
    if (this.broken === 'answers') return [200, { rows: 'none' }];
    if (this.failures > 0) {
      this.failures -= 1;
      return [503, { detail: 'busy' }];
    }
    const failure = this.failWith ?? (isKnown ? undefined : 401);
    return failure === undefined ? this.#route(request) : [failure, { detail: 'refused' }];
  }

  async #route(request: IncomingMessage): Promise<readonly [number, unknown]> {
    const url = new URL(request.url ?? '/', 'http://mem0');
    const id = decodeURIComponent(/^\/memories\/(.+)$/.exec(url.pathname)?.[1] ?? '');
    const index = this.memories.findIndex((each) => each.id === id);
    switch (`${request.method} ${id === '' ? url.pathname : '/memories/:id'}`) {
      case 'POST /memories':
        this.additions += 1;
        if (this.refusesAdditions) return [503, { detail: 'busy' }];
        return [200, this.#add((await bodyOf(request)) as Addition)];
      case 'POST /search':
        return [200, this.#search((await bodyOf(request)) as Search)];
      case 'GET /memories': {
        const { top_k, ...ids } = Object.fromEntries(url.searchParams);
        return [200, { results: this.memories.filter(matching(ids)).slice(0, Number(top_k)) }];
      }
      case 'GET /memories/:id':
        return [200, this.memories[index] ?? null];
      case 'DELETE /memories/:id':
        this.memories.splice(index, index < 0 ? 0 : 1);
        return index < 0 ? [404, { detail: 'Memory not found' }] : [200, { message: 'deleted' }];
      default:
        return [404, { detail: 'Not Found' }];
    }
  }

  #add(addition: Addition): unknown {
    this.added.push(addition);
    const { messages, metadata = {}, infer: _, ...ids } = addition;
    const made = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => {
        const origin = { metadata, created_at: new Date().toISOString() };
        return { ...ids, ...origin, id: crypto.randomUUID(), memory: content };
      });
    this.memories.push(...made);
    return { results: made.map(({ id, memory }) => ({ id, memory, event: 'ADD' })) };
  }

  #search({ query, filters, top_k }: Search): unknown {
    const wanted = wordsOf(query);
    const scored = this.memories.filter(matching(filters)).map((each) => {
      const common = wordsOf(each.memory).filter((word) => wanted.includes(word)).length;
      return { ...each, score: common / Math.max(1, wanted.length) };
    });
    return { results: scored.sort((a, b) => b.score - a.score).slice(0, top_k) };
  }
}

export async function startMem0Server({ key }: { key?: string } = {}): Promise<Mem0Server> {
  const server = new Mem0Server(key);
  await server.listen();
  return server;
}

/** Filters name ids and metadata. */
function matching(filters: Record<string, unknown>) {
  return (memory: Memory) => {
    const facts: Record<string, unknown> = { ...memory.metadata, ...memory };
    return Object.entries(filters).every(([name, value]) => facts[name] === value);
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return JSON.parse(Buffer.concat(pieces).toString());
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\w+/g) ?? [];
}
