import type { z } from 'zod';
import type { Awaitable, Context } from './context.ts';
import type { Props, Resource, Secret } from './keys.ts';

export interface PropsDefinition {
  readonly definition: 'props';
  readonly schema: z.ZodObject;
  /** Keys a user may set for themselves. */
  readonly perUser: readonly string[];
}

export interface SecretDefinition extends Secret {
  readonly definition: 'secret';
  readonly for: 'bundle' | 'platform' | 'user';
  readonly description: string;
}

export interface ResourceDefinition {
  readonly definition: 'resource';
  readonly id: string;
  open(ctx: Context): unknown;
  /** Gets what `open` made. */
  close?(resource: unknown): Awaitable<void>;
}

/** The operator's settings of a bundle: user (`perUser` keys only) over live over descriptor over the schema's default. */
export function defineProps<S extends z.ZodObject>(
  schema: S,
  options: { perUser?: readonly (keyof z.output<S>)[] } = {},
): Props<z.output<S>> {
  const perUser = (options.perUser ?? []).map(String);
  const props: PropsDefinition & Props<z.output<S>> = { definition: 'props', schema, perUser };
  return Object.freeze(props);
}

/** A name for a value that lives outside the bundle and is masked wherever text leaves. */
export function defineSecret(secret: {
  id: string;
  for: 'bundle' | 'platform' | 'user';
  description: string;
}): Secret {
  return Object.freeze({ definition: 'secret', ...secret } satisfies SecretDefinition);
}

/** One per process and revision: opened on first use, closed when the revision is disposed of. */
export function defineResource<R>(resource: {
  id: string;
  open: (ctx: Context) => Awaitable<R>;
  close?: (resource: NoInfer<R>) => Awaitable<void>;
}): Resource<R> {
  const definition: ResourceDefinition & Resource<R> = { definition: 'resource', ...resource };
  return Object.freeze(definition);
}
