import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the service says no with: its type is what a client's typed error is made from. */
export class WireError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export type Operation = (input: Record<string, unknown>) => Promise<unknown>;

/** What happens to one request instead of its operation, which it may still have performed. */
export type Mishap = (perform: () => Promise<unknown>) => Promise<unknown>;

/** The answer of the service never arrives. */
export class LostReply extends Error {}

export type Wire = AsyncDisposable & {
  readonly url: string;
  /** Names of the operations asked for, in order. */
  readonly asked: string[];
  /** Of the next requests for an operation, in this order. */
  readonly spoil: (operation: string, ...mishaps: readonly Mishap[]) => void;
  /** What was meant for its next requests happens no more. */
  readonly heal: (operation: string) => void;
};

/**
 * A server for services that speak `aws.protocols#awsJson1_1`; signatures are not checked. `operations`: by `X-Amz-Target`.
 * `host`: an address of this machine under which its clients reach it.
 */
export async function startWire(
  operations: Readonly<Record<string, Operation>>,
  host = '127.0.0.1',
): Promise<Wire> {
  const asked: string[] = [];
  const mishaps = new Map<string, Mishap[]>();
  const server = createServer((request, response) => {
    answer(request, { operations, asked, mishaps }).then(
      (body) => send(response, 200, body ?? {}),
      (error: unknown) => {
        if (error instanceof LostReply) request.socket.destroy();
        else send(response, 400, toBody(error));
      },
    );
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    asked,
    spoil: (operation, ...more) => {
      mishaps.set(operation, [...(mishaps.get(operation) ?? []), ...more]);
    },
    heal: (operation) => {
      mishaps.delete(operation);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  wire: {
    operations: Readonly<Record<string, Operation>>;
    asked: string[];
    mishaps: ReadonlyMap<string, Mishap[]>;
  },
): Promise<unknown> {
  const target = String(request.headers['x-amz-target']);
  const operation = wire.operations[target];
  const input = (await json(request)) as Record<string, unknown>;
  const name = target.split('.')[1] ?? '';
  wire.asked.push(name);
  if (operation === undefined) throw new WireError('UnknownOperationException', target);
  const mishap = wire.mishaps.get(name)?.shift();
  return mishap ? mishap(() => operation(input)) : operation(input);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
}

function toBody(error: unknown): unknown {
  if (error instanceof WireError) return { __type: error.type, message: error.message };
  return { __type: 'ServerException', message: String(error) };
}
