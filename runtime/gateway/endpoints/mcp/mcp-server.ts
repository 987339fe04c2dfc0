import { ProtocolError, Server, type Tool } from '@modelcontextprotocol/server';
import { isFault } from '../../../base/fault.ts';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';
import type { ToolSpec } from '../../../tools/ports/tool.ts';
import { complete } from './complete.ts';
import type { McpCaller } from './messages/caller.ts';
import { toRpcError } from './messages/to-rpc-error.ts';
import { promptOf, promptsOf } from './prompts/prompts.ts';
import { listResources, readResource, resourceTemplates } from './resources/resources.ts';
import { changeSession, unwatchResource, watchResource } from './session.ts';
import { callStateless } from './stateless-call.ts';

/** Changes are sent on the stream of the session. */
const listed = { listChanged: true };

/** A server of the protocol for one request of one client. */
export function createMcpServer(caller: McpCaller): Server {
  const { endpoint, bundle } = caller;
  const server = new Server(
    { name: bundle, title: `${bundle}: ${endpoint.id}`, version: endpoint.caller.revision },
    {
      capabilities: {
        ...{ tools: listed, resources: { ...listed, subscribe: true }, prompts: listed },
        ...{ logging: {}, completions: {} },
      },
    },
  );
  const { parts } = caller;
  server.setRequestHandler('tools/list', () => ({ tools: [...toolsOf(endpoint)] }));
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    explained(caller, () =>
      callStateless(caller, { name: params.name, input: argumentsOf(params.arguments) }, ctx),
    ),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    explained(caller, () => listResources(caller, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resourceTemplates(caller),
  }));
  server.setRequestHandler('resources/read', ({ params }) =>
    explained(caller, async () => ({ contents: [await readResource(caller, params.uri)] })),
  );
  server.setRequestHandler('resources/subscribe', ({ params }) =>
    explained(caller, async () => {
      await watchResource(caller, params.uri);
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', ({ params }) =>
    explained(caller, async () => {
      await unwatchResource(caller, params.uri);
      return {};
    }),
  );
  server.setRequestHandler('logging/setLevel', ({ params }) =>
    explained(caller, async () => {
      await changeSession(caller, () => ({ logs: params.level }));
      return {};
    }),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: promptsOf(endpoint) }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    explained(caller, () => promptOf(caller, params)),
  );
  server.setRequestHandler('completion/complete', ({ params }) =>
    explained(caller, async () => ({ completion: await complete(caller, params) })),
  );
  server.onerror = (error) => parts.deps.log.debug('mcp request refused', { error });
  return server;
}

/** Errors as the protocol writes them, without details of the server. */
async function explained<T>({ parts }: McpCaller, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!isRefusal(error) && !isFault(error)) parts.deps.log.error('mcp request failed', { error });
    throw toRpcError(parts.intake.explain(error));
  }
}

export function argumentsOf(given: unknown): JsonObject {
  return isJsonObject(given as JsonObject) ? (given as JsonObject) : {};
}

const promptSchema: Tool['inputSchema'] = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'What the agent should do.' } },
  required: ['prompt'],
};

export function toolsOf({ tools, agents }: BundleEndpoint): readonly Tool[] {
  return [
    ...agents.map(
      ({ settings: { id, output }, description }): Tool => ({
        name: id,
        description,
        inputSchema: promptSchema,
        ...outputOf(output?.schema),
      }),
    ),
    ...tools.map(toTool),
  ];
}

function toTool(spec: ToolSpec): Tool {
  const { id: name, description, parameters, returns, effects } = spec;
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...outputOf(returns),
    annotations: { readOnlyHint: effects === 'none', idempotentHint: effects !== 'unkeyed' },
  };
}

/** Older clients accept only objects as structured content. */
function outputOf(schema: JsonObject | undefined): Pick<Tool, 'outputSchema'> {
  return schema?.['type'] === 'object' ? { outputSchema: { ...schema, type: 'object' } } : {};
}
