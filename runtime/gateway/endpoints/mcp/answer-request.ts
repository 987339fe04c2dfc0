import type { Context } from 'hono';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import type { RateLimit } from '../../input/rate-limit.ts';
import { answerMessage } from './exchange.ts';
import { refuseGet } from './messages/refuse.ts';
import { callerOf, endSession } from './session.ts';
import { getStream } from './session-stream.ts';

type McpRequest = {
  readonly parts: HttpParts;
  readonly endpoint: BundleEndpoint;
  readonly body: unknown;
  readonly rate: RateLimit;
};

/** Loaded with the first request: the library of the protocol takes memory that many servers never need. */
export async function answerRequest(
  context: Context<Env>,
  { parts, endpoint, body, rate }: McpRequest,
): Promise<Response> {
  const caller = await callerOf(context, { parts, endpoint, body });
  const { tenant, project, user } = caller.sender;
  rate.consume(JSON.stringify([tenant, project, user]));
  if (context.req.method === 'POST') return await answerMessage(context, caller, body);
  if (context.req.method === 'GET')
    return acceptsStream(context) ? getStream(context, caller) : refuseGet(context);
  await endSession(caller);
  return context.body(null, 204);
}

function acceptsStream({ req }: Context<Env>): boolean {
  return req.header('accept')?.includes('text/event-stream') === true;
}
