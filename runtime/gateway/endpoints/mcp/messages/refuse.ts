import type { Context } from 'hono';
import { type Env, type HttpParts, setRetryAfter, shapeErrors } from '../../../http/context.ts';
import { statusOf } from '../../../http/status.ts';
import { challengeOf } from '../authorization/challenge.ts';
import { errorMessage, type RpcId, refusedMessage, rpcCodes } from './rpc-error.ts';

export function unreadable(context: Context<Env>, because: string): Response {
  const message = `the request body is not valid JSON: ${because}`;
  return context.json(errorMessage(null, { code: rpcCodes.unreadable, message }), 400);
}

/** A refusal or a fault as a JSON-RPC error, under the status that it has everywhere. */
export function refuse(
  context: Context<Env>,
  parts: HttpParts,
  { error, id = null }: { error: unknown; id?: RpcId },
): Response {
  const wireError = parts.intake.explain(error);
  setRetryAfter(context, wireError);
  const status = statusOf(error);
  if (status === 401) context.header('WWW-Authenticate', challengeOf(context, parts));
  return context.json(refusedMessage(id, wireError), status);
}

export function refuseGet(context: Context<Env>): Response {
  context.header('Allow', 'POST');
  const error = { code: 'wrong_method', message: 'send messages with POST' };
  return context.json(refusedMessage(null, error), 405);
}

/** For errors before an endpoint is found, such as a page of another origin. */
export const shapeMcpErrors = shapeErrors((error) => refusedMessage(null, error));
