import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../../base/log.ts';
import type { Tool, ToolError } from '../../../tools/ports/tool.ts';
import type {
  AdmitEvent,
  HookCounts,
  HookOutcome,
  HookPoint,
  HookRunner,
  HookSite,
  RuntimeHooks,
} from '../../contract/runtime-hooks.ts';
import type { Incoming } from '../../define/hook.ts';
import { toJson } from '../validate/zod-schema.ts';
import { CompletionValue, HintsValue, IncomingValue } from './hook-values.ts';
import { openObservers } from './observers.ts';
import { toolWithHooks } from './tool-with-hooks.ts';

/** The compiled hooks of one bundle and its agents. Closing waits for the observer that is running. */
export type CompiledHooks = AsyncDisposable & {
  /** Before an event is accepted, whichever agent it is for. */
  readonly event?: AdmitEvent;
  /** The hooks of the bundle and of this agent. */
  runtimeOf(agent: string): RuntimeHooks;
  /** Wraps a tool in its hooks. */
  around(tool: Tool, agent: string): Tool;
  /** Wraps a tool that is called within another call. The outer call guards what it emits. */
  within(tool: Tool, agent: string): Tool;
};

export function compileHooks(runner: HookRunner, { log }: { readonly log: Log }): CompiledHooks {
  const hooks = failClosed(runner, log);
  const observers = openObservers(hooks, log);
  const event = hasAny(hooks.points, ['guard.event', 'transform.event']) && {
    event: admitEvent(hooks, log),
  };
  const forAgent = (agent: string) => ({ ...hooks, points: hooks.pointsOf(agent) });
  const silent = (agent: string) => {
    const own = forAgent(agent);
    return { ...own, points: without(own.points, 'guard.emit') };
  };
  return {
    ...event,
    runtimeOf: (agent) => {
      const { points } = forAgent(agent);
      return {
        ...(hasAny(points, ['guard.reasoning', 'transform.reasoning']) && {
          reasoning: admitReasoning(hooks, agent),
        }),
        ...(hasAny(points, ['guard.completion', 'transform.completion']) && {
          completion: admitCompletion(hooks),
        }),
        ...(hasAny(points, observing) && {
          observe: (block, { user }) => observers.observe(block, { user, agent }),
        }),
      };
    },
    around: (tool, agent) => toolWithHooks(tool, { hooks: forAgent(agent), agent }),
    within: (tool, agent) => toolWithHooks(tool, { hooks: silent(agent), agent }),
    [Symbol.asyncDispose]: () => observers[Symbol.asyncDispose](),
  };
}

const observing = ['observe.block', 'observe.reasoning', 'observe.shown'] as const;

function hasAny(points: HookCounts, wanted: readonly HookPoint[]): boolean {
  return wanted.some((point) => points.has(point));
}

/**
 * If the hooks cannot be run, a guard refuses and a transformer changes nothing. Rejects only with the reason of the site's
 * signal.
 */
function failClosed({ points, pointsOf, run }: HookRunner, log: Log): HookRunner {
  return {
    points,
    pointsOf,
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

function without(points: HookCounts, point: HookPoint): HookCounts {
  return new Map([...points].filter(([each]) => each !== point));
}

/** An event that is not stored yet has no turn for a notice, so failures go to the log. */
function admitEvent(hooks: HookRunner, log: Log): AdmitEvent {
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

/** Hints first, so that guards see what the model would. */
function admitReasoning(hooks: HookRunner, agent: string): NonNullable<RuntimeHooks['reasoning']> {
  return async (reasoning, asking) => {
    const site: HookSite = { kind: 'event', ...asking, agent };
    const made = await hooks.run('transform.reasoning', toJson(reasoning), site);
    const parsed = HintsValue.safeParse(made.value);
    const value = parsed.success ? parsed.data.hints : reasoning.hints;
    const { failed } = made;
    const subject = toJson({ ...reasoning, hints: value });
    const { refusal } = await hooks.run('guard.reasoning', subject, site);
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
