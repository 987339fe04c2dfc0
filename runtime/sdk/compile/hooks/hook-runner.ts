import { isFault, toWire } from '../../../base/fault.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { isAborted, untilAborted, Work } from '../../../base/signal.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { cutText, grouped } from '../../../tools/text/cut-text.ts';
import { failureCharsMax, hookTimeoutMs } from '../../contract/limits.ts';
import type {
  HookCounts,
  HookOutcome,
  HookPoint,
  HookRunner,
  HookSite,
} from '../../contract/runtime-hooks.ts';
import type { Ask, UserContext } from '../../define/context.ts';
import type { HookDefinition } from '../../define/hook.ts';
import { withUserProps } from '../context/user-props.ts';
import { toQuestion } from '../tools/approval.ts';
import { agentHooksOf, hookPoints, hooksOf, memberOf } from '../validate/hook-points.ts';
import { type HookHome, hookContext } from './hook-context.ts';
import { isTransform, parseTransformed, type TransformPoint } from './hook-values.ts';

/** Runs the hooks of a bundle in the process that holds its code. */
export function createHookRunner(parts: HookHome): HookRunner {
  const { definition } = parts.loaded;
  const shared = hooksOf(definition);
  const own = (agent: string) => agentHooksOf(definition, agent);
  const agents = (definition.agents ?? []).map(({ id }) => id);
  return {
    points: countsOf([...shared, ...agents.flatMap(own)]),
    pointsOf: (agent) => countsOf([...shared, ...own(agent)]),
    run: async (point, subject, site) => {
      const { agent } = site;
      const hooks = [...shared, ...(agent === undefined ? [] : own(agent))];
      const asked = hooks.filter((hook) => memberOf(hook, point));
      if (isTransform(point)) return transform(asked, { ...parts, point, site }, subject);
      if (point.startsWith('observe.')) return observe(asked, { ...parts, point, site }, subject);
      return guard(asked, { ...parts, point, site }, subject);
    },
  };
}

function countsOf(hooks: Hooks): HookCounts {
  const counts = hookPoints.map(
    (point) => [point, hooks.filter((hook) => memberOf(hook, point)).length] as const,
  );
  return new Map(counts.filter(([, count]) => count > 0));
}

type HookCall<P extends HookPoint = HookPoint> = HookHome & {
  readonly point: P;
  readonly site: HookSite;
};
type Hooks = readonly HookDefinition[];

async function transform(
  hooks: Hooks,
  at: HookCall<TransformPoint>,
  given: Json,
): Promise<HookOutcome> {
  const failed: string[] = [];
  let subject = given;
  for (const hook of hooks) {
    const done = await runHook(hook, at, subject);
    const made = done.ok ? parseTransformed(at.point, done.returned) : done;
    if (made.ok) subject = withValue(at.point, subject, made.value);
    else failed.push(sentence(hook, at, `${made.because}. The value is unchanged`));
  }
  return { value: subject, failed };
}

/** The input of the next transformer of the point. */
function withValue(point: TransformPoint, subject: Json, value: Json): Json {
  if (!isJsonObject(subject)) return value;
  if (point === 'transform.tool') return { ...subject, input: value };
  if (point === 'transform.reasoning') return { ...subject, ...(isJsonObject(value) ? value : {}) };
  return point === 'transform.result' ? { ...subject, result: value } : value;
}

/** The first refusal wins. A request to ask a person counts only if no guard refuses. */
async function guard(hooks: Hooks, at: HookCall, value: Json): Promise<HookOutcome> {
  let ask: Ask | undefined;
  for (const hook of hooks) {
    const done = await runHook(hook, at, value);
    if (!done.ok && done.refusal) return { value, failed: [], refusal: done.refusal };
    const verdict = done.ok ? toVerdict(done.returned) : done;
    if ('because' in verdict) {
      const message = sentence(
        hook,
        at,
        `${verdict.because}. The guard gave no decision, so the request is refused`,
      );
      return { value, failed: [message], refusal: { code: 'denied', message, retryable: false } };
    }
    ask ??= verdict.ask;
  }
  const question = ask && { ask: toQuestion(ask, at.loaded.mask) };
  return { value, failed: [], ...question };
}

/** Only undefined allows. Any other value is probably a mistake in the guard. */
function toVerdict(returned: unknown): { readonly ask?: Ask } | { readonly because: string } {
  if (returned === undefined) return {};
  if (isAsk(returned)) return { ask: returned };
  return { because: 'it must return nothing, refuse(…) or ask(…)' };
}

function isAsk(value: unknown): value is Ask {
  return typeof value === 'object' && value !== null && 'ask' in value && value.ask === true;
}

async function observe(hooks: Hooks, at: HookCall, value: Json): Promise<HookOutcome> {
  const failed: string[] = [];
  for (const hook of hooks) {
    const done = await runHook(hook, at, value);
    if (!done.ok) failed.push(sentence(hook, at, done.because));
  }
  return { value, failed };
}

type HookResult =
  | { readonly ok: true; readonly returned: unknown }
  | { readonly ok: false; readonly because: string; readonly refusal?: ToolError };

/** Rejects only with the reason of the site's signal. A refusal has the same effect returned or thrown. */
async function runHook(hook: HookDefinition, at: HookCall, subject: Json): Promise<HookResult> {
  const outer = at.site.kind === 'call' ? at.site.call.signal : at.site.signal;
  outer.throwIfAborted();
  using work = new Work(outer, { deadlineMs: hookTimeoutMs });
  const { signal } = work;
  const ctx = hookContext(hook.id, at, signal);
  try {
    const returned = await untilAborted(call(hook, at, { subject, ctx }), signal);
    if (isRefusal(returned)) throw returned;
    return { ok: true, returned };
  } catch (error) {
    if (isAborted(outer)) throw outer.reason;
    if (isAborted(signal)) {
      ctx.log.warn('hook timed out', { hook: hook.id, at: at.point });
      return { ok: false, because: `it did not answer within ${grouped(hookTimeoutMs)} ms` };
    }
    return failure(error, { hook, at, ctx });
  }
}

function failure(
  error: unknown,
  { hook, at, ctx }: { hook: HookDefinition; at: HookCall; ctx: UserContext },
): HookResult {
  const { mask } = at.loaded;
  const said = isFault(error) ? toWire(error).message : messageOf(error);
  const because = cutText(mask.text(said), failureCharsMax);
  if (isRefusal(error)) {
    const { code, retryable } = error;
    return { ok: false, because, refusal: { code, message: because, retryable } };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  ctx.log.warn('hook failed', { hook: hook.id, at: at.point, error: said, stack });
  return { ok: false, because: `it failed: ${because}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Each hook gets its own copy, so that a guard cannot change the value. */
async function call(
  hook: HookDefinition,
  { point, loaded }: HookCall,
  { subject, ctx: bare }: { readonly subject: Json; readonly ctx: UserContext },
): Promise<unknown> {
  const member = memberOf(hook, point);
  if (typeof member !== 'function') return undefined;
  const ctx = await withUserProps(bare, loaded);
  const copy: Json = structuredClone(subject);
  const isResult = point === 'transform.result' && isJsonObject(copy);
  const given = isResult ? [copy['result'], copy['call'], ctx] : [copy, ctx];
  const [family = ''] = point.split('.');
  const self: unknown = Reflect.get(hook, family);
  const returned: unknown = Reflect.apply(member, self, given);
  return returned;
}

function sentence({ id }: HookDefinition, { point }: HookCall, because: string): string {
  return `Hook “${id}”, ${point}: ${because}.`;
}
