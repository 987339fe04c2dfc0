import type { Hono } from 'hono';
import { isFault, toWire } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { isAborted, untilAborted, Work } from '../../base/signal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { healthDeadlineMs } from './limits.ts';

/** Health and metrics. The store is queried on every request. */
export function addHealthRoutes(app: Hono<Env>, parts: HttpParts): void {
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
    const jobs = await jobMetrics(parts);
    const metrics = { ...parts.metrics(), ...jobs, uptime_seconds: uptime() };
    const lines = Object.entries(metrics).map(([name, value]) => `timeloom_${name} ${value}\n`);
    return context.text(lines.join(''));
  });
}

/** Of all processes together, because the store counts them. None if the store does not answer. */
async function jobMetrics({ deps, closing }: HttpParts): Promise<Readonly<Record<string, number>>> {
  using work = new Work(closing, { deadlineMs: healthDeadlineMs });
  try {
    const counted = await untilAborted(deps.jobs?.counts(deps.scope) ?? none, work.signal);
    const lines = counted.flatMap(({ bundle, job, waiting, done, failed }) => {
      const labels = `{bundle=${JSON.stringify(bundle)},job=${JSON.stringify(job)}}`;
      return [
        [`jobs_waiting${labels}`, waiting],
        [`job_successes_total${labels}`, done],
        [`job_failures_total${labels}`, failed],
      ];
    });
    return Object.fromEntries(lines);
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
