import type { Hono, MiddlewareHandler } from 'hono';
import { isFault, toWire } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { isAborted, untilAborted, Work } from '../../base/signal.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { messageCounts } from '../projects/open-project.ts';
import { healthDeadlineMs } from './limits.ts';

/** Health and metrics. The store is queried on every request. */
export function addHealthRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  const startedMs = parts.deps.clock.monotonic();
  const uptime = () => Math.round((parts.deps.clock.monotonic() - startedMs) / 1000);
  app.get('/health', async (context) => {
    const store = await checkStore(parts);
    const ok = store['ok'] === true;
    const facts = await parts.deps.health();
    const status = ok ? 'ok' : 'unavailable';
    return context.json({ ok, status, store, uptime_s: uptime(), ...facts }, ok ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    const jobs = await jobMetrics(parts, parts.scopes);
    return context.text(toText({ ...parts.metrics(), ...jobs, uptime_seconds: uptime() }));
  });
  app.get('/metrics/:tenant/:project', known, async (context) => {
    requireOperator(parts.deps.auth, context.get('roles'));
    const jobs = await jobMetrics(parts, [parts.deps.scope]);
    return context.text(toText({ ...messageCounts([parts.intake]), ...jobs }));
  });
}

type Metrics = Readonly<Record<string, number>>;

function toText(metrics: Metrics): string {
  return Object.entries(metrics)
    .map(([name, value]) => `timeloom_${name} ${value}\n`)
    .join('');
}

/**
 * Of all processes together, because the store counts them, and of these projects together. None if the store does not
 * answer.
 */
async function jobMetrics(
  { deps, closing }: HttpParts,
  scopes: readonly ProjectScope[],
): Promise<Metrics> {
  using work = new Work(closing, { deadlineMs: healthDeadlineMs });
  try {
    const counting = Promise.all(scopes.map((scope) => deps.jobs?.counts(scope) ?? none));
    const metrics: Record<string, number> = {};
    const add = (name: string, n: number) => {
      metrics[name] = (metrics[name] ?? 0) + n;
    };
    for (const counted of (await untilAborted(counting, work.signal)).flat()) {
      const { bundle, job, waiting, done, failed } = counted;
      const labels = `{bundle=${JSON.stringify(bundle)},job=${JSON.stringify(job)}}`;
      add(`jobs_waiting${labels}`, waiting);
      add(`job_successes_total${labels}`, done);
      add(`job_failures_total${labels}`, failed);
    }
    return metrics;
  } catch (error) {
    if (!isAborted(work.signal)) deps.log.warn('jobs could not be counted', { error });
    return {};
  }
}

const none = Promise.resolve([]);

async function checkStore({ deps, closing }: HttpParts): Promise<JsonObject> {
  using work = new Work(closing, { deadlineMs: healthDeadlineMs });
  const askedMs = deps.clock.monotonic();
  try {
    await deps.store.find(deps.scope, 'conv_health', { signal: work.signal });
    return { ok: true, ms: Math.round(deps.clock.monotonic() - askedMs) };
  } catch (error) {
    if (!isFault(error)) deps.log.error('health check failed', { error });
    return { ok: false, error: toWire(error).code };
  }
}
