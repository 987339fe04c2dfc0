import { type CallToolResult, Server, type ServerContext } from '@modelcontextprotocol/server';

export type OfferedTool = {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
  run?(
    input: Record<string, unknown>,
    ctx: ServerContext,
  ): CallToolResult | Promise<CallToolResult>;
};

export const anything = { type: 'object' };

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A real server that lists what `tools` returns, word for word: no schema is looked at. */
export function makeServer(tools: () => readonly OfferedTool[]): Server {
  const server = new Server(
    { name: 'test', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools().map(({ run: _, inputSchema = anything, ...tool }) => ({
      ...tool,
      inputSchema,
    })) as never,
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools().find(({ name }) => name === params.name);
    if (!tool) throw new Error(`Tool ${params.name} not found`);
    return tool.run?.(params.arguments ?? {}, ctx) ?? textResult('done');
  });
  return server;
}
