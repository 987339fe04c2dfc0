import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import type { UserProps } from '../../contract/runtime-bundle.ts';
import type { Context } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type { KeyValueStore } from '../host/key-value-store.ts';
import { bundleUserSpace } from '../host/spaces.ts';
import { toJsonSchema } from '../validate/zod-schema.ts';
import { propsReader } from './base-context.ts';

/** One user of one bundle. */
type UserPlace = {
  readonly tenant: string;
  readonly project: string;
  readonly bundle: string;
  readonly user: string;
};

/** The key of a user's props in their space. They are one value, so that they change together. */
export const userPropsKey = 'props';

/** The storage space of the props that a user sets for a bundle. No space of `ctx.storage` is one of these spaces. */
export function userPropsSpace(place: UserPlace): string {
  return bundleUserSpace('user-props', place);
}

/** The props that a user has set for a bundle; `{}` if none. */
export async function storedUserProps(
  storage: KeyValueStore,
  place: UserPlace,
): Promise<JsonObject> {
  const kept = await storage.get(userPropsSpace(place), userPropsKey);
  return isJsonObject(kept) ? kept : {};
}

/**
 * `ctx` whose `props` include what its user has set, as it is now. Stored values that do not fit are ignored and
 * reported. Resources are shared by all users and opened without one.
 */
export async function withUserProps<C extends Context>(ctx: C, loaded: LoadedBundle): Promise<C> {
  const { host, props, definition } = loaded;
  const { user } = ctx.ids;
  if (user === undefined || props.perUser.length === 0) return ctx;
  const { tenant, project } = host;
  const place = { tenant, project, bundle: definition.id, user };
  const kept = await storedUserProps(host.storage, place);
  const own = props.fittingOwn(kept);
  const ignored = Object.keys(kept).filter((key) => !Object.hasOwn(own, key));
  if (ignored.length > 0) {
    ctx.log.warn('props of a user do not fit and are ignored', { keys: ignored.join(' ') });
  }
  return { ...ctx, props: propsReader(loaded, () => props.withOwn(own)) };
}

/** The props that users of the bundle set for themselves. */
export function userPropsOf({ definition, props }: LoadedBundle): UserProps {
  return {
    schema: () => {
      const declared = definition.props;
      const whole = isDefinition('props', declared) ? toJsonSchema(declared.schema) : {};
      const { required: _, properties, ...schema } = whole;
      const all = isJsonObject(properties) ? Object.entries(properties) : [];
      const own = Object.fromEntries(all.filter(([key]) => props.perUser.includes(key)));
      return { ...schema, type: 'object', properties: own, additionalProperties: false };
    },
    get shared() {
      return props.sharedOwn;
    },
    check: (own) => props.checkOwn(own),
    fitting: (own) => props.fittingOwn(own),
  };
}
