import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../../base/log.ts';
import type { Tool, ToolError } from '../../../tools/ports/tool.ts';
import type {
  HookOutcome,
  HookPoint,
  HookRunner,
  HookSite,
  RuntimeHooks,
} from '../../contract/runtime-hooks.ts';
import type { Incoming } from '../../define/hook.ts';
import { toJson } from '../validate/zod-schema.ts';
import { CompletionValue, IncomingValue } from './hook-values.ts';
import { openObservers } from './observers.ts';
import { toolWithHooks } from './tool-with-hooks.ts';

/** The compiled hooks of one bundle. Closing waits for the observer that is running. */
export type CompiledHooks = AsyncDisposable & {
  readonly runtime: RuntimeHooks;
  /** Wraps a tool in its hooks. */
  around(tool: Tool, agent: string): Tool;
  /** Wraps a tool that is called within another call. The outer call guards what it emits. */
  within(tool: Tool, agent: string): Tool;
};

export function compileHooks(runner: HookRunner, { log }: { readonly log: Log }): CompiledHooks {
  const { points } = runner;
  const hooks = failClosed(runner, log);
  const silent = { ...hooks, points: without(points, 'guard.emit') };
  const observers = openObservers(hooks, log);
  const asks = (...wanted: readonly HookPoint[]) => wanted.some((point) => points.has(point));
  return {
    runtime: {
      ...(asks('guard.event', 'transform.event') && { event: admitEvent(hooks, log) }),
      ...(asks('guard.completion', 'transform.completion') && {
        completion: admitCompletion(hooks),
      }),
      ...(asks('observe.block') && { observe: observers.observe }),
    },
    around: (tool, agent) => toolWithHooks(tool, { hooks, agent }),
    within: (tool, agent) => toolWithHooks(tool, { hooks: silent, agent }),
    [Symbol.asyncDispose]: () => observers[Symbol.asyncDispose](),
  };
}

/**
 * If the hooks cannot be run, a guard refuses and a transformer changes nothing. Rejects only with the reason of the site's
 * signal.
 */
function failClosed({ points, run }: HookRunner, log: Log): HookRunner {
  return {
    points,
    run: async (point, subject, site): Promise<HookOutcome> => {
      const { signal } = site.kind === 'call' ? site.call : site;
      if (!points.has(point)) return { value: subject, failed: [] };
      try {
        return await run(point, subject, site);
      } catch (error) {
        signal.throwIfAborted();
        log.warn('hooks could not be run', { at: point, error });
        const because = error instanceof Error ? error.message : String(error);
        const message = `The hooks at ${point} could not be run: ${because}`;
        const refusal: ToolError = { code: 'denied', message, retryable: true };
        const isGuard = point.startsWith('guard.');
        return { value: subject, failed: [message], ...(isGuard ? { refusal } : {}) };
      }
    },
  };
}

function without(points: HookRunner['points'], point: HookPoint): HookRunner['points'] {
  return new Map([...points].filter(([each]) => each !== point));
}

/** An event that is not stored yet has no turn for a notice, so failures go to the log. */
function admitEvent(hooks: HookRunner, log: Log): NonNullable<RuntimeHooks['event']> {
  return async (event, { fits = () => true, ...who }) => {
    const site: HookSite = { kind: 'event', ...who };
    const made = await hooks.run('transform.event', toJson(event), site);
    const parsed = IncomingValue.safeParse(made.value);
    const isChanged = parsed.success && !isDeepStrictEqual(parsed.data, event);
    const isFit = parsed.success && parsed.data.kind === event.kind && fits(parsed.data);
    const value: Incoming = isChanged && isFit ? parsed.data : event;
    const unfit = isChanged && !isFit ? ['the transformed value is not an event of this kind'] : [];
    const failed = [...made.failed, ...unfit];
    for (const because of failed) log.warn('event left unchanged', { because });
    const { refusal } = await hooks.run('guard.event', toJson(value), site);
    return refusal ? { ok: false, error: refusal, failed } : { ok: true, value, failed };
  };
}

function admitCompletion(hooks: HookRunner): NonNullable<RuntimeHooks['completion']> {
  return async (text, { call, agent }) => {
    const site: HookSite = { kind: 'call', call, agent };
    const made = await hooks.run('transform.completion', { text }, site);
    const parsed = CompletionValue.safeParse(made.value);
    const value = parsed.success ? parsed.data.text : text;
    const { refusal } = await hooks.run('guard.completion', { text: value }, site);
    const { failed } = made;
    return refusal ? { ok: false, error: refusal, failed } : { ok: true, value, failed };
  };
}
