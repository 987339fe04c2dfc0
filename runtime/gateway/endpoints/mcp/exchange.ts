import { createHash } from 'node:crypto';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isLegacyRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { z } from 'zod';
import { toCursor } from '../../feed/cursor.ts';
import type { Env } from '../../http/context.ts';
import { decideApproval, requestNamed } from './approvals.ts';
import { beginCall } from './begin-call.ts';
import { streamCall } from './call-stream.ts';
import { cancelCall } from './cancel-call.ts';
import { argumentsOf, createMcpServer } from './mcp-server.ts';
import type { McpCaller } from './messages/caller.ts';
import { toErrorMessage } from './messages/to-rpc-error.ts';
import { answerModern } from './modern-request.ts';
import { changeSession } from './session.ts';

/** Answers one posted message. `body` is JSON, and nothing else is known of it. */
export async function answerMessage(
  context: Context<Env>,
  caller: McpCaller,
  body: unknown,
): Promise<Response> {
  if (!(await isLegacyRequest(context.req.raw, body))) return answerModern(context, caller, body);
  if (Array.isArray(body)) {
    const message = 'send one message per request: batches are not supported';
    const error = new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
    return context.json(toErrorMessage(null, error, caller.parts), 400);
  }
  const isCall = isJSONRPCRequest(body) && body.method === 'tools/call';
  if (isCall && isStreamed(context)) return answerCall(context, caller, body);
  const request = isAnswer(body) ? requestNamed(body.id) : undefined;
  if (isAnswer(body) && request !== undefined) {
    await decideApproval(caller, request, 'result' in body ? body.result : undefined);
    return new Response(null, { status: 202 });
  }
  if (isJSONRPCNotification(body) && body.method === 'notifications/cancelled') {
    await cancelCall(caller, messageIdOf(caller, body.params?.['requestId']));
  }
  return answerLegacy(context, caller, body);
}

/** The versions of 2024 and 2025: everything but calls is answered at once. */
async function answerLegacy(
  { req }: Context<Env>,
  caller: McpCaller,
  body: unknown,
): Promise<Response> {
  const opened = initializeRequest.safeParse(body);
  if (opened.success) {
    const { elicitation } = opened.data.params.capabilities;
    if (elicitation !== undefined) await changeSession(caller, () => ({ elicits: true }));
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createMcpServer(caller).connect(transport);
  const answer = await transport.handleRequest(req.raw, { parsedBody: body as JSONRPCMessage });
  const headers = new Headers(answer.headers);
  headers.set('Mcp-Session-Id', caller.conversation);
  return new Response(answer.body, { status: answer.status, headers });
}

const initializeRequest = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({ capabilities: z.looseObject({ elicitation: z.unknown().optional() }) }),
});

function isAnswer(body: unknown): body is JSONRPCResponse {
  return isJSONRPCResultResponse(body) || isJSONRPCErrorResponse(body);
}

/** The rest of what the transport requires is checked there, and refused in its words. */
function isStreamed({ req }: Context<Env>): boolean {
  const accept = req.header('accept') ?? '';
  return accept.includes('text/event-stream') && accept.includes('application/json');
}

async function answerCall(
  context: Context<Env>,
  caller: McpCaller,
  { id, params = {} }: JSONRPCRequest,
): Promise<Response> {
  const { name, arguments: given, _meta } = params;
  try {
    if (typeof name !== 'string') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'params.name: must be a string');
    }
    const message = messageIdOf(caller, id);
    const begun = await beginCall(caller, { name, input: argumentsOf(given), message });
    const cursor = toCursor(begun.row.id, begun.start);
    const token = tokenIn(_meta);
    return await streamCall(context, caller, {
      ...{ id, name, turn: begun.turn, cursor, first: cursor, seen: 0 },
      ...(token === undefined ? {} : { token }),
    });
  } catch (error) {
    if (caller.gone.aborted) return new Response(null, { status: 204 });
    context.header('Mcp-Session-Id', caller.conversation);
    return context.json(toErrorMessage(id, error, caller.parts));
  }
}

function tokenIn(meta: unknown): string | number | undefined {
  const token =
    typeof meta === 'object' && meta !== null && 'progressToken' in meta
      ? meta.progressToken
      : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** A request id is used once in a session: the same request again finds the call that it began. */
function messageIdOf({ conversation }: McpCaller, id: unknown): string {
  const key = JSON.stringify([conversation, typeof id, id]);
  return `mcp_${createHash('sha256').update(key).digest('base64url').slice(0, 32)}`;
}
