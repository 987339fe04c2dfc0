import { z } from 'zod';
import { rpcRequest } from '../endpoints/a2a/rpc.ts';
import { metadataPath } from '../endpoints/mcp/authorization/challenge.ts';
import { endpointAddress as address } from '../endpoints/mcp/authorization/endpoint-access.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const id = z.union([z.string(), z.number(), z.null()]);
const version = z.literal('2.0');
/** One message of JSON-RPC. The protocol describes the methods and their parameters. */
const request = z.looseObject({ jsonrpc: version, method: z.string() });
const answer = z.looseObject({ jsonrpc: version, id, result: z.unknown().optional() });
const failure = z.object({
  jsonrpc: version,
  id,
  error: z.looseObject({ code: z.int(), message: z.string() }),
});

const refused = {
  400: { description: 'The request is not valid.', content: json(failure) },
  401: {
    description: 'No token, or not verified.',
    content: json(failure),
    headers: {
      'WWW-Authenticate': 'Why, and where the metadata of the endpoint is (`resource_metadata`).',
    },
  },
  403: { description: 'Not allowed.', content: json(failure) },
  404: { description: 'No such endpoint or session.', content: json(failure) },
  413: { description: 'The body is too large.', content: json(failure) },
  429: { description: 'Too many requests.', content: json(failure) },
};

const metadata = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  bearer_methods_supported: z.array(z.literal('header')),
  scopes_supported: z.array(z.string()).optional(),
});

function metadataOf(id: string, what: string): RouteDescription {
  return {
    id,
    tag: 'protocols',
    summary: `Where clients get a token for ${what} (RFC 9728).`,
    responses: { 200: { description: 'The metadata.', content: json(metadata) } },
    refusals: ['not_found'],
  };
}

/** The endpoints of bundles for MCP clients. */
export const mcpDescriptions: RouteDescriptions = {
  [`GET ${metadataPath}`]: metadataOf('getResourceMetadata', 'this server'),
  [`GET ${metadataPath}${address}`]: metadataOf('getMcpResourceMetadata', 'an MCP endpoint'),
  [`POST ${address}`]: {
    id: 'sendMcpMessage',
    tag: 'protocols',
    summary: 'A message of an MCP client to an endpoint of a bundle (Streamable HTTP).',
    body: json(request),
    needsBody: true,
    responses: {
      200: {
        description: 'The answer; of a call, a stream that ends with its result.',
        content: { ...json(answer), 'text/event-stream': 'text' },
        headers: { 'Mcp-Session-Id': 'The session, which is a conversation.' },
      },
      202: { description: 'A notification was accepted.' },
      ...refused,
      406: {
        description: '`Accept` lacks a type that the protocol requires.',
        content: json(failure),
      },
      415: { description: 'The body is not JSON.', content: json(failure) },
    },
  },
  [`GET ${address}`]: {
    id: 'resumeMcpCall',
    tag: 'protocols',
    summary: 'The stream of a session, or that of a call after `Last-Event-ID`.',
    responses: {
      200: {
        description: 'Notifications of changed lists, or the rest of the stream.',
        content: { 'text/event-stream': 'text' },
      },
      ...refused,
      405: {
        description: '`Accept` is not `text/event-stream`.',
        content: json(failure),
      },
    },
  },
  [`DELETE ${address}`]: {
    id: 'endMcpSession',
    tag: 'protocols',
    summary: 'Ends a session. Its conversation stays.',
    responses: { 204: { description: 'It has ended.' }, ...refused },
  },
};

const rpcAnswer = z.looseObject({ jsonrpc: version, id });
const card = z.looseObject({
  ...{ name: z.string(), description: z.string(), version: z.string() },
  supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolVersion: z.string() })),
});

schemaNames.add(failure, { id: 'JsonRpcError' });
schemaNames.add(card, { id: 'AgentCard' });

const root = '/api/a2a/:tenant/:project';

function routesOf(agent: string, suffix: string): RouteDescriptions {
  const facts: Readonly<Record<string, Omit<RouteDescription, 'tag' | 'errors'>>> = {
    [`GET ${agent}/.well-known/agent-card.json`]: {
      id: `getAgentCard${suffix}`,
      summary: 'The card of an agent, for clients of A2A 1.0 and 0.3.',
      responses: { 200: { description: 'The card.', content: json(card) } },
      refusals: ['not_found'],
    },
    [`POST ${agent}`]: {
      id: `sendA2aRequest${suffix}`,
      summary: 'A JSON-RPC request of an A2A client. Errors are in the response, with status 200.',
      body: json(rpcRequest),
      needsBody: true,
      responses: {
        200: {
          description: 'The response; for streaming methods, a stream of responses.',
          content: { ...json(rpcAnswer), 'text/event-stream': 'text' },
        },
      },
    },
  };
  return Object.fromEntries(
    Object.entries(facts).map(([route, one]): [string, RouteDescription] => [
      route,
      { ...one, tag: 'A2A', errors: failure },
    ]),
  );
}

/** Agents for clients of A2A. */
export const a2aDescriptions: RouteDescriptions = {
  ...routesOf(`${root}/:agent`, 'OfDefaultBundle'),
  ...routesOf(`${root}/:bundle/:agent`, ''),
};
