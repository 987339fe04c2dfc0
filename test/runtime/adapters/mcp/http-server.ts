import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { serve } from '@hono/node-server';
import {
  createMcpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { freePort } from '../../../tools/services/services.ts';
import { makeServer, type OfferedTool } from './make-server.ts';

export type HttpMcp = AsyncDisposable & {
  readonly url: string;
  /** Requests as they came: method, and what authorised them. */
  readonly requests: { readonly method: string; readonly authorization: string | null }[];
  tools: readonly OfferedTool[];
  /** Sessions made so far. */
  readonly sessions: ReadonlyMap<string, unknown>;
  bearer: string | undefined;
  /** Sent to every session. */
  changed(): Promise<void>;
  /** The server knows no session any more. */
  forget(): void;
  /** Breaks every connection and takes no new one. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

type Session = {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
};

/** A real MCP server on a port of its own: of the protocol of 2025 with sessions, or that of 2026 without. */
export async function openHttpMcp(
  tools: readonly OfferedTool[],
  { modern = false }: { modern?: boolean } = {},
): Promise<HttpMcp> {
  const sessions = new Map<string, Session>();
  const requests: HttpMcp['requests'] = [];
  const handler = createMcpHandler(() => makeServer(() => mcp.tools), { legacy: 'reject' });
  const answer = async (request: Request): Promise<Response> => {
    const authorization = request.headers.get('authorization');
    requests.push({ method: request.method, authorization });
    if (mcp.bearer !== undefined && authorization !== `Bearer ${mcp.bearer}`) {
      return new Response('no', { status: 401 });
    }
    if (modern) return handler.fetch(request);
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (id !== null && !known) return new Response('no such session', { status: 404 });
    return (known ?? (await open())).transport.handleRequest(request);
  };
  const open = async (): Promise<Session> => {
    const server = makeServer(() => mcp.tools);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const session = { server, transport };
    await server.connect(transport);
    return session;
  };
  let http: HttpServer | undefined;
  const port = await freePort();
  const mcp: HttpMcp = {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    tools,
    sessions,
    bearer: undefined,
    changed: async () => {
      if (modern) handler.notify.toolsChanged();
      for (const { server } of sessions.values()) await server.sendToolListChanged();
    },
    forget: () => sessions.clear(),
    start: async () => {
      http = serve({ fetch: answer, port, hostname: '127.0.0.1' }) as HttpServer;
      await once(http, 'listening');
    },
    stop: async () => {
      const closing = http;
      http = undefined;
      if (!closing) return;
      closing.close();
      closing.closeAllConnections();
      await once(closing, 'close');
    },
    [Symbol.asyncDispose]: () => mcp.stop(),
  };
  await mcp.start();
  return mcp;
}
