import { hooksPerBundleMax } from '../../contract/limits.ts';
import type { HookPoint } from '../../contract/runtime-hooks.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { HookDefinition } from '../../define/hook.ts';
import { checkIds, type Problems } from './problems.ts';

/** All hook points, as the keys of `defineHook`. */
export const hookPoints: readonly HookPoint[] = [
  ...(['guard.event', 'guard.tool', 'guard.completion', 'guard.emit'] as const),
  ...(['transform.event', 'transform.tool', 'transform.result', 'transform.completion'] as const),
  'observe.block',
];

/** The hooks of a bundle, in order. */
export function hooksOf({ hooks = [] }: BundleDefinition): readonly HookDefinition[] {
  return hooks.filter((hook) => isDefinition('hook', hook));
}

/** The member of a hook at a point; undefined if it has none. */
export function memberOf(hook: HookDefinition, point: HookPoint): unknown {
  const [family = '', name = ''] = point.split('.');
  const members: unknown = Reflect.get(hook, family);
  return typeof members === 'object' && members !== null ? Reflect.get(members, name) : undefined;
}

/** Any problem with a hook stops the load, because authors rely on their hooks. */
export function checkHooks({ hooks = [] }: BundleDefinition, problems: Problems): void {
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
