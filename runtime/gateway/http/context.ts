import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { isFault, isFaultCode } from '../../base/fault.ts';
import { faults } from '../../base/faults.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { WireError } from '../../client/protocol/envelope.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import type { AnonymousConnections } from '../auth/anonymous-connections.ts';
import type { AnonymousLimit } from '../auth/anonymous-limit.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { OriginGuard } from '../auth/origin-guard.ts';
import type { Uploads } from '../files/uploads.ts';
import type { Inspector } from '../inspection/inspector.ts';
import type { Intake } from '../intake/intake.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';

/** What every HTTP route uses. `closing` aborts when the gateway shuts down. */
export type HttpParts = {
  readonly deps: GatewayDeps;
  readonly intake: Intake;
  readonly uploads: Uploads;
  readonly inspector: Inspector;
  readonly authenticate: Authenticate;
  readonly anonymousLimit: AnonymousLimit;
  readonly originGuard: OriginGuard;
  readonly anonymous: AnonymousConnections;
  readonly closing: AbortSignal;
  metrics(): Readonly<Record<string, number>>;
};

/** The body of an error response in another protocol. */
export type ErrorShape = (error: WireError, status: number) => object;

export type Env = {
  Bindings: HttpBindings;
  Variables: {
    sender: Sender;
    roles: readonly string[];
    untilMs: number | undefined;
    errorShape: ErrorShape | undefined;
  };
};

const statuses = {
  invalid_input: 400,
  cursor_invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  conflict: 409,
  turn_changed: 409,
  turn_closed: 409,
  attachment_refused: 413,
  too_large: 413,
  unsupported_media_type: 415,
  busy: 429,
} as const;

type Status = (typeof statuses)[keyof typeof statuses] | 500 | 503;

/** The response to an error: a refusal with its own status, a failure without details. */
export function toFailure(context: Context<Env>, intake: Intake, error: unknown): Response {
  const wireError = intake.explain(error);
  return failure(context, wireError, statusOf(error));
}

export function failure(context: Context<Env>, error: WireError, status: Status): Response {
  setRetryAfter(context, error);
  if (status === 401) context.header('WWW-Authenticate', 'Bearer');
  const shape = context.get('errorShape');
  const body = shape ? shape(error, status) : { ok: false, status: 'refused', error };
  return context.json(body, status);
}

/** Errors of the routes after it are sent in the shape of another protocol, also those before authentication. */
export function shapeErrors(shape: ErrorShape): MiddlewareHandler<Env> {
  return async (context, next) => {
    context.set('errorShape', shape);
    await next();
  };
}

/** Tells the client when to retry, if that is known. */
export function setRetryAfter(context: Context, { retry_after_ms: waitMs }: WireError): void {
  if (waitMs !== undefined) context.header('Retry-After', String(Math.ceil(waitMs / 1000)));
}

export function statusOf(error: unknown): Status {
  return isRefusal(error) || isFault(error) ? statusOfCode(error.code) : 500;
}

export function statusOfCode(code: string): Status {
  const known: Readonly<Record<string, Status>> = statuses;
  if (code === code.toLowerCase()) return known[code] ?? 400;
  return isFaultCode(code) && faults[code].kind === 'transient' ? 503 : 500;
}
