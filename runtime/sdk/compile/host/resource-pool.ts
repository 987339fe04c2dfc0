import { Fault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import type { Context } from '../../define/context.ts';
import type { ResourceDefinition } from '../../define/settings.ts';

/** The open resources of one revision. */
export interface ResourcePool extends AsyncDisposable {
  /** Opens a resource on first use. After a failure the next caller tries again. */
  use(resource: ResourceDefinition, ctx: Context): Promise<unknown>;
}

export function openResourcePool(): ResourcePool {
  const opened = new Map<ResourceDefinition, Promise<unknown>>();
  const scope = new Scope();
  const open = async (resource: ResourceDefinition, ctx: Context): Promise<unknown> => {
    try {
      const value = await resource.open(ctx);
      scope.defer(() => resource.close?.(value));
      return value;
    } catch (cause) {
      opened.delete(resource);
      throw new Fault('RESOURCE_FAILED', { because: resource.id }, { cause });
    }
  };
  return {
    use(resource, ctx) {
      const existing = opened.get(resource);
      if (existing) return existing;
      // Starts only after it is in the map, because a failure removes it from the map.
      const opening = Promise.resolve().then(() => open(resource, ctx));
      opened.set(resource, opening);
      return opening;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(opened.values());
      await scope[Symbol.asyncDispose]();
    },
  };
}
