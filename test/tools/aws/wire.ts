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

export type Wire = AsyncDisposable & {
  readonly url: string;
  /** Names of the operations asked for, in order. */
  readonly asked: readonly string[];
};

/** A server for services that speak `aws.protocols#awsJson1_1`; signatures are not checked. `operations`: by `X-Amz-Target`. */
export async function startWire(operations: Readonly<Record<string, Operation>>): Promise<Wire> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    answer(request, operations, asked).then(
      (body) => send(response, 200, body ?? {}),
      (error: unknown) => send(response, 400, toBody(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  operations: Readonly<Record<string, Operation>>,
  asked: string[],
): Promise<unknown> {
  const target = String(request.headers['x-amz-target']);
  const operation = operations[target];
  const input = (await json(request)) as Record<string, unknown>;
  asked.push(target.split('.')[1] ?? '');
  if (operation === undefined) throw new WireError('UnknownOperationException', target);
  return operation(input);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
}

function toBody(error: unknown): unknown {
  if (error instanceof WireError) return { __type: error.type, message: error.message };
  return { __type: 'ServerException', message: String(error) };
}
