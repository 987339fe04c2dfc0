import type { Hono } from 'hono';
import { isFault, toWire } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
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
  app.get('/metrics', (context) => {
    const metrics = { ...parts.metrics(), uptime_seconds: uptime() };
    const lines = Object.entries(metrics).map(([name, value]) => `timeloom_${name} ${value}\n`);
    return context.text(lines.join(''));
  });
}

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
