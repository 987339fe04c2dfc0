import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isFault, toWire } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Scope } from '../../base/scope.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import type { Config } from '../config/config.ts';
import {
  conversationsShown,
  socketBlocksMax,
  socketPathBytesMax,
  socketRequestCharsMax,
} from './limits.ts';
import { type CommandStore, storeSocketPath } from './remote-store.ts';

const Id = z.string().max(200);
const tenantFields = { tenant: Id, project: Id };
const User = z.string().max(300);
const SenderScope = z.strictObject({ ...tenantFields, user: User });
const OwnerScope = z.strictObject({ ...tenantFields, user: User.exactOptional() });

/** What may be asked of a store through its door, by the name of the method. */
const StoreRequest = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('find'), scope: OwnerScope, conversation: Id }),
  z.strictObject({
    ask: z.literal('list'),
    sender: SenderScope,
    limit: z.int().positive().max(conversationsShown),
  }),
  z.strictObject({
    ask: z.literal('read'),
    key: z.int(),
    after: z.int(),
    limit: z.int().positive().max(socketBlocksMax),
  }),
  z.strictObject({
    ask: z.literal('fork'),
    sender: SenderScope,
    request: z.strictObject({ conversation: Id, at: z.int(), newConversation: Id }),
  }),
]);

type Parts = { readonly store: TimelineStore; readonly log: Log };

/**
 * A socket in the data directory through which other commands of the same user look at its timeline, which this process
 * alone can open. A directory whose name is too long for a socket has none: then they are refused. A database that is
 * elsewhere needs none.
 */
export async function openStoreSocket(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { store, log }: Parts,
): Promise<AsyncDisposable> {
  const scope = new Scope();
  if (databaseUrl !== undefined) return scope;
  const path = storeSocketPath(dataDir);
  if (Buffer.byteLength(path) > socketPathBytesMax) {
    log.warn('no command can look at the timeline while this server runs', { path });
    return scope;
  }
  const stop = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response, { store, signal: stop.signal }).catch((error: unknown) => {
      if (!isFault(error)) log.error('door', { error });
      response.writeHead(500).end(JSON.stringify(toWire(error)));
    });
  });
  // Nobody else may enter; a socket that is there belonged to a server that died.
  await mkdir(dirname(path), { recursive: true });
  await chmod(dirname(path), 0o700);
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  scope.defer(async () => {
    stop.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return scope;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { store, signal }: { store: CommandStore; signal: AbortSignal },
): Promise<void> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= socketRequestCharsMax)) {
    response.writeHead(413).end();
    return;
  }
  const asked = StoreRequest.safeParse(JSON.parse(await text(request)));
  if (!asked.success) {
    response.writeHead(400).end(JSON.stringify({ message: z.prettifyError(asked.error) }));
    return;
  }
  response.end(JSON.stringify({ value: await execute(asked.data, { store, signal }) }));
}

function execute(
  asked: z.infer<typeof StoreRequest>,
  { store, signal }: { store: CommandStore; signal: AbortSignal },
): Promise<unknown> {
  switch (asked.ask) {
    case 'find':
      return store.find(asked.scope, asked.conversation, { signal });
    case 'list':
      return store.list(asked.sender, { limit: asked.limit, signal });
    case 'read':
      return store.read(asked.key, { after: asked.after, limit: asked.limit, signal });
    case 'fork':
      return store.fork(asked.sender, asked.request, { signal });
  }
}
