import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type {
  ToolServer,
  ToolServerSettings,
  ToolServers,
} from '../../sdk/compile/host/tool-servers.ts';
import type { Session } from './connection/session.ts';

export type ToolServersParts = {
  readonly tenant: string;
  readonly fetch: typeof fetch;
  /** `PATH` of child processes; they get nothing else from our environment. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
};

/** MCP servers. Bundles of one tenant that name the same server with the same credentials share one session. */
export function openToolServers(parts: ToolServersParts): ToolServers & AsyncDisposable {
  return new Pool(parts);
}

type Shared = { readonly session: Session; users: number };

class Pool implements ToolServers, AsyncDisposable {
  readonly #parts: ToolServersParts;
  readonly #sessions = new Map<string, Shared>();

  constructor(parts: ToolServersParts) {
    this.#parts = parts;
  }

  async open(
    settings: ToolServerSettings,
    { signal }: { signal: AbortSignal },
  ): Promise<ToolServer> {
    // The client of the protocol takes 30 MB, and most installations have no server.
    const { BundleToolServer } = await import('./bundle-tool-server.ts');
    const { Session } = await import('./connection/session.ts');
    const key = await keyOf(this.#parts.tenant, settings);
    const shared = this.#sessions.get(key) ?? {
      session: new Session({ ...this.#parts, settings }),
      users: 0,
    };
    this.#sessions.set(key, shared);
    shared.users += 1;
    const served = new BundleToolServer(settings, {
      session: shared.session,
      release: once(() => this.#release(key, shared)),
    });
    try {
      // The session stores why it failed, and keeps trying.
      await shared.session.ensureConnected(signal).catch(() => undefined);
      signal.throwIfAborted();
      return served;
    } catch (reason) {
      await served[Symbol.asyncDispose]();
      throw reason;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ session }) => session[Symbol.asyncDispose]()));
  }

  async #release(key: string, shared: Shared): Promise<void> {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (this.#sessions.get(key) === shared) this.#sessions.delete(key);
    await shared.session[Symbol.asyncDispose]();
  }
}

/** Missing credentials are part of the key as null. */
async function keyOf(tenant: string, { place, access }: ToolServerSettings): Promise<string> {
  const values = await access().then(
    (known) => known.values,
    () => null,
  );
  const text = JSON.stringify([tenant, place, values && Object.entries(values).toSorted()]);
  return createHash('sha256').update(text).digest('hex');
}

function once(release: () => Promise<void>): () => Promise<void> {
  let released: Promise<void> | undefined;
  return () => {
    released ??= release();
    return released;
  };
}
