import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';

/**
 * Options that this version does not implement, each with what to do instead. They stop the load, because an author or
 * operator would rely on them.
 */
export function unsupportedInBundle({ props }: BundleDefinition): readonly string[] {
  const perUser = isDefinition('props', props) ? props.perUser : [];
  const later = 'not available in this version';
  return perUser.map(
    (key) => `prop “${key}”: perUser is ${later}; remove it, or keep the value in ctx.storage.user`,
  );
}
