import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isFault, toWire } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Scope } from '../../base/scope.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import { conversationKeySchema, toSeq } from '../../timeline/ids.ts';
import type { Config } from '../config/config.ts';
import { reportJobs } from './job-report.ts';
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

/** A request over the socket: a method of the store and its arguments. */
const StoreRequest = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('find'), scope: OwnerScope, conversation: Id }),
  z.strictObject({
    method: z.literal('list'),
    sender: SenderScope,
    limit: z.int().positive().max(conversationsShown),
  }),
  z.strictObject({
    method: z.literal('read'),
    key: conversationKeySchema,
    after: z.int().transform(toSeq),
    limit: z.int().positive().max(socketBlocksMax),
  }),
  z.strictObject({
    method: z.literal('fork'),
    sender: SenderScope,
    request: z.strictObject({
      conversation: Id,
      at: z.int().transform(toSeq),
      newConversation: Id,
    }),
  }),
  z.strictObject({ method: z.literal('jobs'), place: z.strictObject(tenantFields) }),
]);

type Sources = { readonly store: CommandStore; readonly jobs: JobStore };
type Parts = Sources & { readonly log: Log };

/**
 * A socket in the data directory through which other commands of the same user read the timeline, because only this
 * process can open the embedded database. Without a socket (the path is too long) those commands fail. An external
 * database needs no socket.
 */
export async function openStoreSocket(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { store, jobs, log }: Parts,
): Promise<AsyncDisposable> {
  const scope = new Scope();
  if (databaseUrl !== undefined) return scope;
  const path = storeSocketPath(dataDir);
  if (Buffer.byteLength(path) > socketPathBytesMax) {
    log.warn(
      'timeline commands are not available while this server runs: the socket path is too long',
      { path },
    );
    return scope;
  }
  const stop = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response, { store, jobs, signal: stop.signal }).catch((error: unknown) => {
      if (!isFault(error)) log.error('store socket', { error });
      response.writeHead(500).end(JSON.stringify(toWire(error)));
    });
  });
  // Only this user may enter the folder. An existing socket is left over from a server that crashed.
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
  { signal, ...sources }: Sources & { signal: AbortSignal },
): Promise<void> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= socketRequestCharsMax)) {
    response.writeHead(413).end();
    return;
  }
  const parsed = StoreRequest.safeParse(JSON.parse(await text(request)));
  if (!parsed.success) {
    response.writeHead(400).end(JSON.stringify({ message: z.prettifyError(parsed.error) }));
    return;
  }
  response.end(JSON.stringify({ value: await execute(parsed.data, { ...sources, signal }) }));
}

function execute(
  call: z.infer<typeof StoreRequest>,
  { store, jobs, signal }: Sources & { signal: AbortSignal },
): Promise<unknown> {
  switch (call.method) {
    case 'find':
      return store.find(call.scope, call.conversation, { signal });
    case 'list':
      return store.list(call.sender, { limit: call.limit, signal });
    case 'read':
      return store.read(call.key, { after: call.after, limit: call.limit, signal });
    case 'fork':
      return store.fork(call.sender, call.request, { signal });
    case 'jobs':
      return reportJobs(jobs, call.place);
  }
}
