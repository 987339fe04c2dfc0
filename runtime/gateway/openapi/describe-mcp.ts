import { z } from 'zod';
import { json, type RouteDescriptions } from './route-description.ts';

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

const address = '/api/bundles/:tenant/:project/:bundle/mcp/:endpoint';
const refused = {
  400: { description: 'The request is not valid.', content: json(failure) },
  401: { description: 'No token, or not verified.', content: json(failure) },
  403: { description: 'Not allowed.', content: json(failure) },
  404: { description: 'No such endpoint or session.', content: json(failure) },
  413: { description: 'The body is too large.', content: json(failure) },
  429: { description: 'Too many requests.', content: json(failure) },
};

/** The endpoints of bundles for MCP clients. */
export const mcpDescriptions: RouteDescriptions = {
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
    summary: 'Goes on with the stream of a call after `Last-Event-ID`.',
    responses: {
      200: {
        description: 'The rest of the stream.',
        content: { 'text/event-stream': 'text' },
      },
      ...refused,
      405: {
        description: 'Without `Last-Event-ID`: there is no other stream.',
        content: json(failure),
      },
    },
  },
};
