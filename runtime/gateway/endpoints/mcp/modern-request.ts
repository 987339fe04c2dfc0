import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { Env } from '../../http/context.ts';
import { keepAliveMs } from '../../http/limits.ts';
import { createMcpServer } from './mcp-server.ts';
import type { McpCaller } from './messages/caller.ts';
import { openSubscriptions } from './subscriptions.ts';

/** The version of 2026, in which every request stands alone. */
export async function answerModern(
  context: Context<Env>,
  caller: McpCaller,
  body: unknown,
): Promise<Response> {
  const bus = openSubscriptions(caller, {
    body,
    untilMs: context.get('untilMs'),
    over: () => void handler.close(),
  });
  const options = { legacy: 'reject', keepAliveMs, bus } as const;
  const handler = createMcpHandler(() => createMcpServer(caller), options);
  return handler.fetch(context.req.raw, { parsedBody: body });
}
