import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.ts';
import type { Admission, CallContext, Tool, ToolOutcome } from '../../../tools/ports/tool.ts';
import type { HookRunner, HookSite } from '../../contract/runtime-hooks.ts';
import { cannotAsk } from '../tools/approval.ts';
import { toJson } from '../validate/zod-schema.ts';
import { gateEmits } from './gated-emits.ts';
import { InputValue, ResultValue } from './hook-values.ts';

type Home = { readonly hooks: HookRunner; readonly agent: string };

/**
 * Wraps a tool in the hooks of its bundle, for calls by the agent, a program or another tool.
 *
 * 1. The tool does not run before every guard has allowed exactly the input it runs with.
 * 2. A decision made before the intent was stored (`context.admitted`) is not made again.
 */
export function toolWithHooks(tool: Tool, home: Home): Tool {
  const { points } = home.hooks;
  const isAsked = points.has('guard.tool') || points.has('transform.tool');
  const isGated = points.has('guard.emit') && tool.spec.kind === 'bundle';
  if (!isAsked && !isGated && !points.has('transform.result')) return tool;
  const { recover } = tool;
  return {
    ...tool,
    ...(isAsked && {
      admit: (
        input: JsonObject,
        context: CallContext,
        { edited = false }: { readonly edited?: boolean } = {},
      ) => admit(tool, home, { input, context, edited }),
    }),
    run: (input, context) => runHooked(tool, home, { input, context }),
    ...(recover && {
      recover: async (context: CallContext, options: { signal: AbortSignal }) => {
        const outcome = await recover(context, options);
        return withResult(tool, home, { input: {}, context, outcome });
      },
    }),
  };
}

type HookedCall = {
  readonly input: JsonObject;
  readonly context: CallContext;
  readonly edited?: boolean;
};

/** Transformers run first, so that guards judge the final input. Input edited by a person is not transformed. */
async function admit(tool: Tool, { hooks, agent }: Home, calling: HookedCall): Promise<Admission> {
  const { context, edited = false } = calling;
  const site: HookSite = { kind: 'call', call: context, agent };
  const input = edited ? calling.input : await transformInput(tool, hooks, { ...calling, site });
  const subject = { tool: tool.spec.id, input, call: context.call };
  const { refusal, ask } = await hooks.run('guard.tool', subject, site);
  if (refusal) return { ok: false, error: refusal };
  const isAllowed = context.approved === context.key;
  return { ok: true, input, ...(ask && !isAllowed ? { ask } : {}) };
}

async function transformInput(
  tool: Tool,
  hooks: HookRunner,
  { input, context, site }: HookedCall & { readonly site: HookSite },
): Promise<JsonObject> {
  const subject = { tool: tool.spec.id, input, call: context.call };
  const { value, failed } = await hooks.run('transform.tool', subject, site);
  notify(failed, context);
  const made = InputValue.safeParse(Reflect.get(Object(value), 'input'));
  if (!made.success || isDeepStrictEqual(made.data, input)) return input;
  const parsed = tool.parse(made.data);
  if (parsed.ok) return parsed.input;
  const [first] = parsed.violations;
  const because = `${first?.path ?? ''}: ${first?.message ?? 'it does not fit'}`;
  notify([`The transformed input does not fit, so the input is unchanged: ${because}`], context);
  return input;
}

async function runHooked(
  tool: Tool,
  home: Home,
  { input, context }: HookedCall,
): Promise<ToolOutcome> {
  const admission = await admitOnce(tool, home, { input, context });
  if (!admission.ok) return { result: { ok: false, error: admission.error } };
  const calling = { input: admission.input, context };
  const isGated = home.hooks.points.has('guard.emit') && tool.spec.kind === 'bundle';
  if (!isGated) {
    const outcome = await tool.run(admission.input, context);
    return withResult(tool, home, { ...calling, outcome });
  }
  const gate = gateEmits(home, context);
  try {
    const outcome = await tool.run(admission.input, { ...context, services: gate.services });
    return await withResult(tool, home, { ...calling, outcome });
  } finally {
    await gate.settle();
  }
}

/** A person cannot be asked in the middle of another call. */
async function admitOnce(tool: Tool, home: Home, calling: HookedCall): Promise<Admission> {
  const { context, input } = calling;
  const { points } = home.hooks;
  const isAsked = points.has('guard.tool') || points.has('transform.tool');
  if (!isAsked || context.admitted === context.key) return { ok: true, input };
  const admission = await admit(tool, home, calling);
  if (!admission.ok || !admission.ask) return admission;
  const { code, message, retryable } = cannotAsk(tool.spec.id);
  return { ok: false, error: { code, message, retryable } };
}

/** Transforms the result before it is stored. A changed result drops the tool's preview and attachments. */
async function withResult(
  tool: Tool,
  { hooks, agent }: Home,
  { input, context, outcome }: HookedCall & { readonly outcome: ToolOutcome },
): Promise<ToolOutcome> {
  if (!hooks.points.has('transform.result')) return outcome;
  const { result } = outcome;
  const call = { tool: tool.spec.id, input, call: context.call };
  const subject = { result: toJson(result), call };
  const site: HookSite = { kind: 'call', call: context, agent };
  const { value, failed } = await hooks.run('transform.result', subject, site);
  notify(failed, context);
  const made = ResultValue.safeParse(Reflect.get(Object(value), 'result'));
  if (!made.success || isDeepStrictEqual(made.data, result)) return outcome;
  const { preview: _, attached: __, ...rest } = outcome;
  return { ...rest, result: made.data };
}

function notify(failed: readonly string[], { services }: CallContext): void {
  if (failed.length > 0) services.notice('hook_failed', failed.join(' '));
}
