import { addAbortListener } from 'node:events';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { Cancelled, untilAborted, Work } from '../../base/signal.ts';
import { clientHeader } from '../../client/protocol/routes.ts';
import type { BundleOperation, OperationAnswer } from '../../sdk/contract/runtime-bundle.ts';
import { addressOf } from '../auth/anonymous-limit.ts';
import { bearerOf } from '../auth/credentials.ts';
import { type Env, type HttpParts, toFailure } from '../http/context.ts';
import { isJson } from '../input/parse-input.ts';
import { RateLimit } from '../input/rate-limit.ts';
import { messagesPerMinuteMax } from '../intake/limits.ts';
import { operationsInFlightMax, publicInFlightMax } from './limits.ts';
import { readOperationBody } from './operation-body.ts';

const bundle = '/api/bundles/:tenant/:project/:bundle';

/**
 * Operations of bundles: `operations/` for users of this installation, `public/` for callers that the bundle verifies
 * itself.
 */
export function addOperationRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  identified: MiddlewareHandler<Env>,
): void {
  const operations = new Operations(parts);
  // The public route is not authenticated, so it is registered before the authentication.
  app.all(`${bundle}/public/:operation`, (context) => operations.answer(context, 'public'));
  app.all(`${bundle}/operations/:operation`, identified, (context) =>
    operations.answer(context, 'user'),
  );
}

type Audience = 'user' | 'public';

class Operations {
  readonly #parts: HttpParts;
  readonly #rate: RateLimit;
  readonly #inFlight: Record<Audience, number> = { user: 0, public: 0 };

  constructor(parts: HttpParts) {
    this.#parts = parts;
    const { clock, limits } = parts.deps;
    const allowance = { perMinute: messagesPerMinuteMax, ...limits?.user };
    this.#rate = new RateLimit(clock, allowance, 'requests');
  }

  async answer(context: Context<Env>, audience: Audience): Promise<Response> {
    try {
      const operation = this.#find(context, audience);
      if (context.req.method !== operation.method) return wrongMethod(context, operation);
      this.#admit(context, operation);
      return toResponse(await this.#run(context, operation, audience));
    } catch (error) {
      context.set('errorShape', (wireError) => ({ ok: false, error: wireError }));
      return toFailure(context, this.#parts.intake, error);
    }
  }

  /** Refusals `forbidden` and `not_found`: each path hides the operations of the other one. */
  #find(context: Context<Env>, audience: Audience): BundleOperation {
    const { bundles, scope } = this.#parts.deps;
    const named = (name: string) => context.req.param(name) ?? '';
    if (named('tenant') !== scope.tenant || named('project') !== scope.project) {
      throw new Refusal('forbidden', 'unknown tenant or project');
    }
    const found = bundles.operation(named('bundle'), named('operation'));
    if (found && (found.access === 'public') === (audience === 'public')) return found;
    const what = `bundle "${named('bundle')}" has no ${audience === 'public' ? 'public ' : ''}operation`;
    throw new Refusal('not_found', `${what} "${named('operation')}"`);
  }

  /** Refusals `forbidden`, `unauthenticated` and `busy`. */
  #admit(context: Context<Env>, { id, access }: BundleOperation): void {
    if (access === 'public') {
      this.#parts.anonymousLimit.admit(context);
      const from = addressOf(context);
      this.#rate.consume(JSON.stringify(['public', context.req.param('bundle'), id, from]));
    } else {
      const { tenant, project, user } = context.get('sender');
      this.#rate.consume(JSON.stringify([tenant, project, user]));
      assertNotForged(context);
      const roles = context.get('roles');
      if (access !== 'user' && !access.roles.some((role) => roles.includes(role))) {
        throw new Refusal('forbidden', `requires one of these roles: ${access.roles.join(', ')}`);
      }
    }
  }

  /**
   * Stops the operation on timeout, when its caller disconnects, or when the server shuts down. Fault
   * `OPERATION_TIMEOUT`.
   */
  async #run(
    context: Context<Env>,
    operation: BundleOperation,
    audience: Audience,
  ): Promise<OperationAnswer> {
    const { raw } = context.req;
    const { method, url } = raw;
    const body = await this.#limitInFlight(audience, () =>
      readOperationBody(raw, { closing: this.#parts.closing }),
    );
    using work = new Work(this.#parts.closing, { deadlineMs: operation.timeoutMs });
    using _caller = addAbortListener(raw.signal, () => work.stop('shutdown'));
    const { signal } = work;
    const who = operation.access === 'public' ? {} : { user: context.get('sender').user };
    const request = { method, url, headers: [...raw.headers], body };
    try {
      return await untilAborted(
        this.#limitInFlight(audience, () => operation.answer(request, { ...who, signal })),
        signal,
      );
    } catch (error) {
      const isLate = error instanceof Cancelled && error.why === 'deadline';
      throw isLate ? new Fault('OPERATION_TIMEOUT', { because: operation.id }) : error;
    }
  }

  /** Refusal `busy`. Public requests have a limit of their own, so they cannot block authenticated ones. */
  async #limitInFlight<T>(audience: Audience, answer: () => Promise<T>): Promise<T> {
    const most = audience === 'public' ? publicInFlightMax : operationsInFlightMax;
    if (this.#inFlight[audience] >= most) {
      const message = `too many requests: ${most} operations are in progress`;
      throw new Refusal('busy', message, { retryable: true, retryAfterMs: 1_000 });
    }
    this.#inFlight[audience] += 1;
    try {
      return await answer();
    } finally {
      this.#inFlight[audience] -= 1;
    }
  }
}

/** Pages of other origins cannot send these headers without a preflight request. */
const ownHeaders = [clientHeader, 'x-timeloom-user'];

/**
 * Refusal `forbidden`: an image or a form on a page could have sent this request. Only a script of the same origin can
 * send a custom header, or a body of type JSON.
 */
function assertNotForged({ req }: Context): void {
  const isDeliberate =
    bearerOf((name) => req.header(name)) !== undefined ||
    ownHeaders.some((name) => req.header(name) !== undefined) ||
    isJson(req.header('content-type'));
  if (isDeliberate) return;
  const message = `send the header ${clientHeader} with any value, or a body of type application/json`;
  throw new Refusal('forbidden', message);
}

function wrongMethod(context: Context<Env>, { id, method }: BundleOperation): Response {
  context.header('Allow', method);
  const error = {
    code: 'wrong_method',
    message: `method not allowed; use ${method} for operation "${id}"`,
  };
  return context.json({ ok: false, error }, 405);
}

/** Responses of bundles are treated as data: a page in one runs no scripts, unless the bundle sets its own policy. */
function toResponse({ status, headers, body }: OperationAnswer): Response {
  const answer = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  answer.set('X-Content-Type-Options', 'nosniff');
  if (!answer.has('Content-Security-Policy')) {
    answer.set('Content-Security-Policy', "default-src 'none'; sandbox");
  }
  if (!answer.has('Cache-Control')) answer.set('Cache-Control', 'no-store');
  const isBare = status === 204 || status === 205 || status === 304;
  return new Response(isBare ? null : new Uint8Array(body), { status, headers: answer });
}
