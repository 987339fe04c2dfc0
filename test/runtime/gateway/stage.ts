import { io, type Socket } from 'socket.io-client';
import { createStoredFacts } from '../../../runtime/adapters/facts/stored-facts.ts';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../runtime/adapters/memory/timeline-store.ts';
import { createUserSecrets } from '../../../runtime/adapters/secrets/user-secrets.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Json } from '../../../runtime/base/json.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import type { MessageAck, WireEnvelope } from '../../../runtime/client/protocol/envelope.ts';
import { routes } from '../../../runtime/client/protocol/routes.ts';
import type { DeltaFrame } from '../../../runtime/engine/ports/bus.ts';
import { type Gateway, openGateway } from '../../../runtime/gateway/gateway.ts';
import type { BundleDirectory } from '../../../runtime/gateway/ports/bundle-directory.ts';
import type { GatewayDeps } from '../../../runtime/gateway/ports/gateway-deps.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  noTurn,
  type TurnId,
  toSeq,
  toStreamName,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';

export const scope = { tenant: 'dev', project: 'dev' };
export const signal = new AbortController().signal;

export const bundles: BundleDirectory = {
  default: () => ({ bundle: 'desk', agent: 'main' }),
  agent: (bundle, agent = 'main') => (bundle === 'desk' && agent === 'main' ? agent : undefined),
  allows: (bundle) => (bundle === 'desk' ? { exec: false, webSearch: false } : undefined),
  settings: () => [],
  kind: (_, kind) =>
    kind === 'alert'
      ? {
          reactive: true,
          credit: 0,
          parse: (payload) =>
            typeof payload === 'object' && payload !== null && 'service' in payload
              ? { ok: true, payload, text: 'an alert' }
              : { ok: false, violations: [{ path: 'service', message: 'is missing' }] },
        }
      : undefined,
  bundles: () => [{ id: 'desk', title: 'Desk', version: '1', agents: ['main'], widgets: [] }],
  widgets: () => [],
  operation: () => undefined,
  operations: () => [],
  endpoint: () => undefined,
  userProps: () => undefined,
  userSecrets: () => [],
  props: () => undefined,
  admitEvent: () => undefined,
  admitting: () => [],
};

export type Stage = AsyncDisposable & {
  readonly gateway: Gateway;
  readonly deps: GatewayDeps;
  connect(auth?: Record<string, string>, headers?: Record<string, string>): Socket;
};

/** A whole gateway over memory, listening on a free port. */
export async function openStage(more: Partial<GatewayDeps> = {}): Promise<Stage> {
  const owned = new Scope();
  const storage = createMemoryStorage(() => systemClock.now());
  const deps: GatewayDeps = {
    store: owned.own(openMemoryTimelineStore({ clock: systemClock })),
    bus: owned.own(openMemoryBus()),
    blobs: owned.own(openMemoryBlobStore()),
    storage,
    memory: createStoredFacts({ storage, clock: systemClock, log: silentLog }),
    userSecrets: createUserSecrets({ storage, log: silentLog, secret: async () => 'a test key' }),
    ids: randomIds,
    clock: systemClock,
    log: silentLog,
    auth: { mode: 'dev' },
    scope,
    bundles,
    health: () => ({ model: 'scripted:test' }),
    ...more,
  };
  const gateway = owned.own(await openGateway(deps, { host: '127.0.0.1', port: 0 }));
  const connect = (auth: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const socket = io(gateway.url, {
      transports: ['websocket'],
      forceNew: true,
      auth: { ...scope, ...auth },
      extraHeaders: headers,
    });
    owned.defer(() => {
      socket.disconnect();
    });
    return socket;
  };
  return { gateway, deps, connect, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

/** Plays the worker of one conversation: appends and publishes as an engine would. */
export class Player {
  readonly #deps: GatewayDeps;
  readonly key: ConversationKey;
  readonly turn: TurnId;
  readonly fence: number;
  #number = 0;
  #head = toSeq(0);
  #offsets = new Map<string, number>();

  private constructor(
    deps: GatewayDeps,
    at: { key: ConversationKey; turn: TurnId; fence: number },
  ) {
    this.#deps = deps;
    this.key = at.key;
    this.turn = at.turn;
    this.fence = at.fence;
  }

  static async take(deps: GatewayDeps, conversation: string): Promise<Player> {
    const row = await deps.store.find(scope, conversation, { signal });
    const lease =
      row && (await deps.store.acquire(row.key, { worker: 'w', ttlMs: 600_000, signal }));
    if (!row || !lease) throw new Error('no conversation to play');
    return new Player(deps, { key: row.key, turn: row.openTurn ?? noTurn, fence: lease.fence });
  }

  /** Appends blocks of the open turn; the last one's seq. */
  async append(...drafts: readonly Omit<Draft, 'turn'>[]): Promise<number> {
    const blocks = drafts.map((draft) => ({ ...draft, turn: this.turn }));
    const op = this.#deps.ids.next('op');
    const asOf = Number.MAX_SAFE_INTEGER;
    const appended = await this.#deps.store.append(
      this.key,
      { fence: this.fence, op, blocks, asOf: toSeq(asOf) },
      { signal },
    );
    if (appended.status !== 'ok') throw new Error(`append: ${appended.status}`);
    this.#head = appended.head;
    this.#deps.bus.publish(this.key, [{ kind: 'head', head: appended.head }]);
    return appended.head;
  }

  async delta(marker: string, text: string, more: Partial<DeltaFrame> = {}): Promise<void> {
    const row = await this.#deps.store.list({ ...scope, user: 'dev' }, { limit: 50, signal });
    const after = row.find(({ key }) => key === this.key)?.head ?? toSeq(0);
    const stream = more.stream ?? toStreamName(`${this.turn}.1.${marker}.1`);
    const offset = this.#offsets.get(stream) ?? 0;
    this.#offsets.set(stream, offset + text.length);
    this.#number += 1;
    const place = { after, fence: this.fence, number: this.#number, turn: this.turn, round: 1 };
    const named = { channel: marker, instance: 1, stream, marker };
    const frame: DeltaFrame = {
      kind: 'delta',
      ...place,
      ...named,
      text,
      offset,
      completed: false,
      ...more,
    };
    this.#deps.bus.publish(this.key, [{ kind: 'frame', frame }]);
    // Each of them is a frame of its own.
    await this.#deps.bus.flush({ signal });
  }

  /** A live fact right after what this player appended last. */
  live(type: string, data: Json): void {
    this.#number += 1;
    const place = { after: this.#head, fence: this.fence, number: this.#number, turn: this.turn };
    const frame = { kind: 'live' as const, ...place, round: 1, type, data };
    this.#deps.bus.publish(this.key, [{ kind: 'frame', frame }]);
  }

  /** Appends the answer of the turn. */
  answer(text: string, more: { readonly followups?: readonly string[] } = {}): Promise<number> {
    return this.append({
      type: 'assistant.completion',
      author: 'agent',
      path: toBlockPath(`ar:${this.turn}.assistant.completion.1`),
      text,
      data: { stream: `${this.turn}.1.answer.1`, n: 1, degraded: false, ...more },
    });
  }

  /** Appends a file that the user gets. */
  deliver(filename: string, mime: string, text: string): Promise<number> {
    return this.append({
      type: 'artifact.file',
      author: 'tool',
      path: toBlockPath(`fi:${this.turn}.outputs/${filename}`),
      mime,
      text,
      data: { filename, size: text.length, visibility: 'external' },
    });
  }

  close(text = 'done'): Promise<number> {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cost_usd: 0.01 };
    const data = { reason: 'completed', text, degraded: false, completions: 1, files: [], usage };
    return this.append({ type: 'turn.close', author: 'system', data });
  }

  /** Gives up the lease, so that another turn can be played. */
  async release(): Promise<void> {
    await this.#deps.store.release(this.key, { fence: this.fence, signal });
  }
}

export function ask<Ack = MessageAck>(
  socket: Socket,
  event: string,
  payload: unknown,
): Promise<Ack> {
  return socket.emitWithAck(event, payload);
}

/** Every envelope a socket gets, and a way to wait for one. */
export function listen(socket: Socket) {
  const heard: { route: string; envelope: WireEnvelope }[] = [];
  const waiting = new Set<() => void>();
  for (const route of routes) {
    socket.on(route, (envelope: WireEnvelope) => {
      heard.push({ route, envelope });
      for (const check of [...waiting]) check();
    });
  }
  const until = (wanted: (envelope: WireEnvelope) => boolean): Promise<WireEnvelope> =>
    new Promise((resolve) => {
      const check = () => {
        const found = heard.find(({ envelope }) => wanted(envelope));
        if (!found) return;
        waiting.delete(check);
        resolve(found.envelope);
      };
      waiting.add(check);
      check();
    });
  return { heard, until, types: () => heard.map(({ envelope }) => envelope.type) };
}
