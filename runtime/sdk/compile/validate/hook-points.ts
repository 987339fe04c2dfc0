import { hooksPerBundleMax } from '../../contract/limits.ts';
import type { HookPoint } from '../../contract/runtime-hooks.ts';
import type { AgentDefinition } from '../../define/agent.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Hook, HookDefinition } from '../../define/hook.ts';
import { checkIds, type Problems } from './problems.ts';

/** All hook points, as the keys of `defineHook`. */
export const hookPoints: readonly HookPoint[] = [
  ...(['guard.event', 'guard.reasoning', 'guard.tool', 'guard.completion', 'guard.emit'] as const),
  ...(['transform.event', 'transform.reasoning', 'transform.tool'] as const),
  ...(['transform.result', 'transform.completion'] as const),
  ...(['observe.block', 'observe.reasoning', 'observe.shown'] as const),
];

/** The hooks of a bundle, in order. */
export function hooksOf({ hooks }: BundleDefinition): readonly HookDefinition[] {
  return definedHooks(hooks);
}

/** The hooks of one agent, in order; its `hint` is the first. */
export function agentHooksOf(
  { agents = [] }: BundleDefinition,
  id: string,
): readonly HookDefinition[] {
  const agent = agents.find((each) => each.id === id);
  if (!isDefinition('agent', agent)) return [];
  return [...hintHook(agent), ...definedHooks(agent.hooks)];
}

export function definedHooks(hooks: readonly Hook[] = []): readonly HookDefinition[] {
  return hooks.filter((hook) => isDefinition('hook', hook));
}

/** A hint that depends on the user is a hook that adds a line before each round. */
function hintHook({ hint }: AgentDefinition): readonly HookDefinition[] {
  if (typeof hint !== 'function') return [];
  const reasoning: NonNullable<HookDefinition['transform']>['reasoning'] = async (
    { hints },
    ctx,
  ) => {
    const line = await hint(ctx);
    return { hints: line === undefined ? hints : [...hints, line] };
  };
  return [{ definition: 'hook', id: 'hint', transform: { reasoning } }];
}

/** The member of a hook at a point; undefined if it has none. */
export function memberOf(hook: HookDefinition, point: HookPoint): unknown {
  const [family = '', name = ''] = point.split('.');
  const members: unknown = Reflect.get(hook, family);
  return typeof members === 'object' && members !== null ? Reflect.get(members, name) : undefined;
}

/** Any problem with a hook stops the load, because authors rely on their hooks. */
export function checkHooks(
  { hooks = [], agents = [] }: BundleDefinition,
  problems: Problems,
): void {
  checkList(hooks, problems);
  for (const agent of agents) {
    if (!isDefinition('agent', agent)) continue;
    const add = (problem: string) => problems.add(`agent “${agent.id}”: ${problem}`);
    checkList(agent.hooks ?? [], { ...problems, add });
    for (const hook of definedHooks(agent.hooks)) {
      const isEarly = hookPoints.some(
        (point) => point.endsWith('.event') && memberOf(hook, point) !== undefined,
      );
      if (isEarly) {
        add(`hook “${hook.id}” has a place “event”, which only hooks of the bundle have`);
      }
    }
  }
}

function checkList(hooks: readonly Hook[], problems: Problems): void {
  const ids = hooks.map(({ id }) => id);
  checkIds('hook', ids, problems);
  if (hooks.length > hooksPerBundleMax) {
    problems.add(`it has ${hooks.length} hooks; the limit is ${hooksPerBundleMax}`);
  }
  for (const hook of hooks) {
    if (!isDefinition('hook', hook)) problems.add('a hook was not made by defineHook');
    else for (const problem of problemsOf(hook)) problems.add(problem);
  }
}

function problemsOf(hook: HookDefinition): readonly string[] {
  const members = hookPoints.map((point) => ({ point, member: memberOf(hook, point) }));
  const there = members.filter(({ member }) => member !== undefined);
  const at = `hook “${hook.id}”`;
  if (there.length === 0) return [`${at} has no guard, transform or observe`];
  return there.flatMap(({ point, member }) =>
    typeof member === 'function' ? [] : [`${at}: ${point} is not a function`],
  );
}
