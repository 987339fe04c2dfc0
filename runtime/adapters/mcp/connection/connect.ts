import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { untilAborted, Work } from '../../../base/signal.ts';
import type { Mask } from '../../../sdk/compile/host/mask.ts';
import type { ServerAccess, ToolServerSettings } from '../../../sdk/compile/host/tool-servers.ts';
import { type Check, toCheck } from '../tools/check-input.ts';
import { oneLine } from '../tools/clean-schema.ts';
import {
  connectMsMax,
  errorCharsMax,
  listMsMax,
  listPagesMax,
  probeMsMax,
  stopGraceMs,
} from '../tools/limits.ts';
import { type ReadTools, readTools } from '../tools/read-tools.ts';
import { ChildTransport } from './child.ts';
import { HttpTransport, streamEndedMessage } from './http.ts';

export type ServerAddress = ToolServerSettings['place'];

export type ConnectOptions = {
  readonly access: ServerAccess;
  readonly fetch: typeof fetch;
  /** `PATH` of child processes. */
  readonly path: string;
  readonly log: Log;
  readonly mask: Mask;
  readonly signal: AbortSignal;
  /** The server is known to use the 2025 protocol; skip version negotiation. */
  readonly legacy: boolean;
  readonly changed: () => void;
};

/** One connection. */
export type Connection = AsyncDisposable & {
  readonly client: Client;
  readonly legacy: boolean;
};

/** Connects and negotiates the protocol version. A child process that exits on the unknown negotiation request is started again with the older protocol. */
export async function connect(place: ServerAddress, options: ConnectOptions): Promise<Connection> {
  try {
    return await attempt(place, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (place.kind === 'http' || options.legacy || !hasEnded(error)) throw error;
    return attempt(place, { ...options, legacy: true });
  }
}

function hasEnded(error: unknown): boolean {
  return error instanceof Error && !('syscall' in error);
}

async function attempt(place: ServerAddress, options: ConnectOptions): Promise<Connection> {
  const client = new Client({ name: 'timeloom', version: '1' }, clientOptions(options));
  client.onerror = ({ message }) => {
    if (!message.includes(streamEndedMessage))
      options.log.debug('mcp connection', toLogFields(message, options));
  };
  const transport = transportOf(place, options);
  try {
    await client.connect(transport, {
      timeout: connectMsMax,
      signal: options.signal,
      ...(options.legacy ? { prior: { kind: 'legacy' as const } } : {}),
    });
  } catch (error) {
    await transport.close();
    throw error;
  }
  return {
    client,
    legacy: client.getProtocolEra() === 'legacy',
    [Symbol.asyncDispose]: () => disconnect(client, transport),
  };
}

function toLogFields(message: string, { mask }: ConnectOptions) {
  return { error: oneLine(mask.text(message), errorCharsMax) };
}

function clientOptions({ changed }: ConnectOptions): ClientOptions {
  return {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMsMax } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: { getValidator: (schema) => validatorOf(schema) },
  };
}

/** Output checks, compiled once for each schema. */
const checks = new WeakMap<object, Check>();

/** Validates tool output like tool input. The check justifies the cast to `T`. */
function validatorOf<T>(schema: object) {
  const check = checks.get(schema) ?? toCheck(JSON.parse(JSON.stringify(schema)));
  checks.set(schema, check);
  return (input: unknown) => {
    const [misfit] = check(JSON.parse(JSON.stringify(input)));
    if (!misfit) return { valid: true as const, data: input as T, errorMessage: undefined };
    const errorMessage = `${misfit.path.join('.')}: ${misfit.message}`;
    return { valid: false as const, data: undefined, errorMessage };
  };
}

function transportOf(
  place: ServerAddress,
  { access, fetch, path, log, mask }: ConnectOptions,
): Transport {
  if (place.kind === 'http') return new HttpTransport({ ...place, headers: access.values, fetch });
  const { command, args, dir } = place;
  return new ChildTransport({
    command,
    args,
    dir,
    env: { PATH: path, ...access.values },
    log,
    mask,
  });
}

/** Ends the server's session, if it has one, and closes the connection even if the server does not answer. */
async function disconnect(client: Client, transport: Transport): Promise<void> {
  if (transport instanceof HttpTransport) {
    using work = new Work(new AbortController().signal, { deadlineMs: stopGraceMs });
    await untilAborted(transport.terminateSession(), work.signal).catch(() => undefined);
  }
  await client.close();
  await transport.close();
}

const Page = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().exactOptional(),
});

/** Lists every tool of the server, page by page. */
export async function listTools(
  { client }: Connection,
  { signal }: { signal: AbortSignal },
): Promise<ReadTools> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < listPagesMax; page += 1) {
    const params: { [key: string]: Json } = cursor === undefined ? {} : { cursor };
    const options = { signal, timeout: listMsMax };
    const read = await client.request({ method: 'tools/list', params }, Page, options);
    listed.push(...read.tools);
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return readTools(listed);
}
