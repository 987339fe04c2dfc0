import type { Json } from '../base/json.ts';
import { Refusal } from '../base/refusal.ts';
import type {
  BundleFacts,
  Client,
  ConnectOptions,
  ConversationPage,
  ConversationQuery,
} from './api/client.ts';
import type { Conversation, Delta } from './api/types.ts';
import { ClientConversation } from './conversation/conversation.ts';
import { DeltaStreams } from './events/delta-streams.ts';
import { answerMs, turnsKnownMax } from './protocol/limits.ts';
import { mintId } from './protocol/mint-id.ts';
import type { ClientContext } from './transport/client-context.ts';
import { Connection } from './transport/connection.ts';
import { createHttp } from './transport/http.ts';
import {
  callOperation,
  createClientAccount,
  createClientMemory,
  listBundles,
  listConversations,
} from './transport/requests.ts';
import type { Schedule } from './transport/subscription.ts';
import { pageFacts } from './widgets/page-facts.ts';
import { clientFromHost, hostOfWidget, noCanvas } from './widgets/widget-host.ts';

/**
 * Connects to a Timeloom server. Returns immediately: requests wait for the connection and survive reconnects. In a page,
 * `url` defaults to the page's own server. In a widget, tenant and project default to those in its address. A widget shown by
 * the chat page that connects without options uses the page's connection and conversations.
 */
export function connect<B = unknown>(options?: ConnectOptions<B>): Client<B>;
export function connect(options: ConnectOptions = {}): Client {
  const host = Object.keys(options).length === 0 ? hostOfWidget() : undefined;
  return host ? clientFromHost(host) : connectWith(options, schedule);
}

export function connectWith(options: ConnectOptions, wait: Schedule): Client {
  if (options.transport === 'sse') throw notSupported('the sse transport');
  return new SocketClient(options, wait);
}

function schedule(step: () => void, delayMs: number): () => void {
  const timer = setTimeout(step, delayMs);
  return () => clearTimeout(timer);
}

class SocketClient implements Client {
  readonly memory: Client['memory'];
  readonly account: Client['account'];
  readonly #context: ClientContext;
  readonly #connection: Connection;
  readonly #conversations = new Map<string, ClientConversation>();
  /** The conversation of each turn, so that a file can be found by its path alone. */
  readonly #turns = new Map<string, string>();

  constructor({ token, user, tools = {}, ...options }: ConnectOptions, wait: Schedule) {
    const page = pageFacts();
    const { url = page.url, tenant = page.tenant, project = page.project } = options;
    if (url === undefined) throw new Refusal('invalid_input', 'url is required outside a web page');
    const credentials = async () => {
      const secret = await token?.();
      const known = {
        ...(secret !== undefined && { token: secret }),
        ...(user !== undefined && { user }),
      };
      return { tenant, project, ...known };
    };
    this.#connection = new Connection(url, credentials, wait);
    this.#context = {
      connection: this.#connection,
      http: createHttp(url, credentials),
      scope: `${encodeURIComponent(tenant)}/${encodeURIComponent(project)}`,
      tools,
      timeoutMs: options.timeoutMs ?? answerMs,
      open: (id, place) => this.conversation(id, place),
      remember: (turn, conversation) => this.#remember(turn, conversation),
    };
    this.memory = createClientMemory(this.#context.http);
    this.account = createClientAccount(this.#context.http);
  }

  conversation(id?: string, options: Parameters<Client['conversation']>[1] = {}): Conversation {
    const name = id ?? mintId('conv');
    const known = this.#conversations.get(name);
    if (known) {
      known.reopen(options);
      return known;
    }
    const made = new ClientConversation(this.#context, {
      ...options,
      id: name,
      isNew: id === undefined,
    });
    this.#conversations.set(name, made);
    return made;
  }

  conversations(query: ConversationQuery = {}): Promise<ConversationPage> {
    return listConversations(this.#context, query);
  }

  onListChange(changed: () => void): () => void {
    return this.#connection.onListChange(changed);
  }

  bundles(): Promise<readonly BundleFacts[]> {
    return listBundles(this.#context);
  }

  async *canvas(): AsyncGenerator<Delta> {
    const { conversation, canvas } = pageFacts();
    if (conversation === undefined) throw noCanvas();
    const streams = new DeltaStreams();
    for await (const event of this.conversation(conversation).events()) {
      const delta = streams.next(event);
      const isShown = canvas === undefined || delta?.artifact === canvas;
      if (delta?.marker === 'canvas' && isShown) yield delta;
    }
  }

  async operation(bundle: string, id: string, input: Json): Promise<Json> {
    return callOperation(this.#context, { bundle, id, input });
  }

  fetch(path: string): Promise<Response> {
    const turn = /^(?:conv:)?\w+:(\w*turn_[\w-]+)\./.exec(path)?.[1];
    const conversation = turn === undefined ? undefined : this.#turns.get(turn);
    const query = new URLSearchParams({
      path,
      ...(conversation !== undefined && { conversation }),
    });
    return this.#context.http(`/api/files?${query}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const conversation of this.#conversations.values()) conversation.close();
    this.#connection.close();
  }

  #remember(turn: string, conversation: string): void {
    if (turn === '' || this.#turns.has(turn)) return;
    this.#turns.set(turn, conversation);
    for (const oldest of this.#turns.keys()) {
      if (this.#turns.size <= turnsKnownMax) break;
      this.#turns.delete(oldest);
    }
  }
}

function notSupported(what: string): Refusal {
  return new Refusal('not_supported', `${what} is not available in this version`);
}
