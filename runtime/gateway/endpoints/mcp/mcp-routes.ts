import type { Context, Hono, MiddlewareHandler } from 'hono';
import { readJson } from '../../../base/bounded-json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { RateLimit } from '../../input/rate-limit.ts';
import { messagesPerMinuteMax } from '../../intake/limits.ts';
import { readOperationBody } from '../../routes/operation-body.ts';
import { assertRole, endpointAddress, findEndpoint } from './authorization/endpoint-access.ts';
import { refuse, unreadable } from './messages/refuse.ts';
import { idOf } from './messages/rpc-error.ts';
import { verifyCaller } from './verify-caller.ts';

/** Endpoints of bundles for MCP clients (`mcp.expose`). A session is a conversation; a call is a turn on its log. */
export function addMcpRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  identified: MiddlewareHandler<Env>,
): void {
  const { clock, limits } = parts.deps;
  const rate = new RateLimit(
    clock,
    { perMinute: messagesPerMinuteMax * requestsPerCall, ...limits?.user },
    'requests',
  );
  const serving = { parts, identified, rate };
  for (const method of ['POST', 'GET', 'DELETE'] as const) {
    app.on(method, endpointAddress, async (context) => {
      try {
        return await answer(context, serving);
      } catch (error) {
        return refuse(context, parts, { error });
      }
    });
  }
}

/** A client makes several requests around each call. */
const requestsPerCall = 4;

type Serving = {
  readonly parts: HttpParts;
  readonly identified: MiddlewareHandler<Env>;
  readonly rate: RateLimit;
};

async function answer(context: Context<Env>, serving: Serving): Promise<Response> {
  const { parts } = serving;
  const found = findEndpoint(context, parts);
  const { raw, method } = context.req;
  if (found?.access === 'public') parts.anonymousLimit.admit(context);
  else await identify(context, serving);
  // Only users learn which endpoints there are.
  const endpoint = found ?? refuseEndpoint(context);
  const bytes =
    method === 'POST' ? await readOperationBody(raw, { closing: parts.closing }) : new Uint8Array();
  if (endpoint.access === 'public') {
    await verifyCaller(endpoint, { request: raw, bytes, closing: parts.closing });
  } else assertRole(context, endpoint);
  const read = readJson(new TextDecoder().decode(bytes));
  if (method === 'POST' && !read.ok) return unreadable(context, read.because);
  const body = read.ok ? read.value : undefined;
  try {
    const { answerRequest } = await import('./answer-request.ts');
    return await answerRequest(context, { parts, endpoint, body, rate: serving.rate });
  } catch (error) {
    return refuse(context, parts, { error, id: idOf(body) });
  }
}

/** Sets the sender. Refusals `unauthenticated` and `forbidden`. */
async function identify(context: Context<Env>, { identified }: Serving): Promise<void> {
  await identified(context, async () => undefined);
}

function refuseEndpoint({ req }: Context<Env>): never {
  const [bundle, id] = [req.param('bundle') ?? '', req.param('endpoint') ?? ''];
  throw new Refusal('not_found', `bundle "${bundle}" has no MCP endpoint "${id}"`);
}
