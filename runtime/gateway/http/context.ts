import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { WireError } from '../../client/protocol/envelope.ts';
import type { OpenSurface } from '../../sdk/contract/surface.ts';
import type { ProjectScope, Sender } from '../../timeline/ports/store.ts';
import type { AnonymousConnections } from '../auth/anonymous-connections.ts';
import type { AnonymousLimit } from '../auth/anonymous-limit.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { OriginGuard } from '../auth/origin-guard.ts';
import type { Uploads } from '../files/uploads.ts';
import type { Inspector } from '../inspection/inspector.ts';
import type { Intake } from '../intake/intake.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { type Status, statusOf } from './status.ts';

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
  readonly surfaces: readonly OpenSurface[];
  readonly closing: AbortSignal;
  /** Every tenant and project that is served. */
  readonly scopes: readonly ProjectScope[];
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

/** The response to an error: a refusal with its own status, a failure without details. */
export function toFailure(context: Context<Env>, intake: Intake, thrown: unknown): Response {
  const error = isBrokenOff(context) ? brokenOff : thrown;
  const wireError = intake.explain(error);
  return failure(context, wireError, statusOf(error));
}

const brokenOff = new Refusal('invalid_input', 'the request ended before its body was complete');

/** Whether the client has left in the middle of its request, which is not a failure of the server. */
function isBrokenOff({ env }: Context<Env>): boolean {
  return env.incoming.destroyed && !env.incoming.complete;
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
