import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { isFault } from '../../../base/fault.ts';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';
import type { ToolSpec } from '../../../tools/ports/tool.ts';
import { McpProgress } from '../../projections/mcp.ts';
import { followTurn } from '../follow-turn.ts';
import { beginCall } from './begin-call.ts';
import { resultOf } from './call-result.ts';
import type { McpCaller } from './caller.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { toRpcError } from './rpc-error.ts';

/** A server of the protocol for one request of one client. */
export function createMcpServer(caller: McpCaller): Server {
  const { endpoint, bundle } = caller;
  const server = new Server(
    { name: bundle, title: `${bundle}: ${endpoint.id}`, version: endpoint.caller.revision },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  const { parts } = caller;
  server.setRequestHandler('tools/list', () => ({ tools: [...toolsOf(endpoint)] }));
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    explained(caller, () =>
      callTool(caller, { name: params.name, input: argumentsOf(params.arguments) }, ctx),
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
  server.setRequestHandler('prompts/list', () => ({ prompts: promptsOf(endpoint) }));
  server.setRequestHandler('prompts/get', ({ params }) => promptOf(endpoint, params.name));
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

/** For clients of the protocol's version of 2026, whose streams cannot be resumed. The turn goes on without its client. */
async function callTool(
  caller: McpCaller,
  { name, input }: { name: string; input: JsonObject },
  { mcpReq }: ServerContext,
) {
  const { deps } = caller.parts;
  const { _meta: meta } = mcpReq;
  const named = meta?.['timeloom/message_id'];
  const message = typeof named === 'string' ? named : deps.ids.next('msg');
  const begun = await beginCall(caller, { name, input, message });
  const token = meta?.progressToken;
  const progress = new McpProgress();
  const end = await followTurn(deps, begun, {
    signal: mcpReq.signal,
    each: (envelope) => {
      const news = token === undefined ? undefined : progress.take(envelope);
      if (news === undefined || token === undefined) return;
      const params = { progressToken: token, ...news };
      // A client that has gone misses it; the turn goes on.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  });
  if (!end) throw new ProtocolError(ProtocolErrorCode.InternalError, 'the conversation has ended');
  return resultOf(caller, begun, { name, end });
}

export function argumentsOf(given: unknown): JsonObject {
  return isJsonObject(given as JsonObject) ? (given as JsonObject) : {};
}

const promptSchema: Tool['inputSchema'] = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'What the agent should do.' } },
  required: ['prompt'],
};

function toolsOf({ tools, agents }: BundleEndpoint): readonly Tool[] {
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

/** Skills are texts that a person may give to a model. */
function promptsOf({ caller }: BundleEndpoint) {
  return caller.skills
    .filter(({ hidden }) => !hidden)
    .map(({ name, description }) => ({ name, description }));
}

function promptOf({ caller }: BundleEndpoint, name: string) {
  const skill = caller.skills.find((each) => each.name === name && !each.hidden);
  if (!skill) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown prompt: ${name}`);
  const content = { type: 'text', text: skill.text } as const;
  return { description: skill.description, messages: [{ role: 'user' as const, content }] };
}
