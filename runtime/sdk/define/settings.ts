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
  /** Receives what `open` returned. */
  close?(resource: unknown): Awaitable<void>;
}

/** Declares an operator's settings for a bundle. Precedence: user (`perUser` keys only), live, descriptor, schema default. */
export function defineProps<S extends z.ZodObject>(
  schema: S,
  options: { perUser?: readonly (keyof z.output<S>)[] } = {},
): Props<z.output<S>> {
  const perUser = (options.perUser ?? []).map(String);
  const props: PropsDefinition & Props<z.output<S>> = { definition: 'props', schema, perUser };
  return Object.freeze(props);
}

/** Declares a secret: a value that is stored outside the bundle and masked in all outgoing text. */
export function defineSecret(secret: {
  id: string;
  for: 'bundle' | 'platform' | 'user';
  description: string;
}): Secret {
  return Object.freeze({ definition: 'secret', ...secret } satisfies SecretDefinition);
}

/** Declares a resource: one instance per process and revision, opened on first use and closed when the revision is disposed of. */
export function defineResource<R>(resource: {
  id: string;
  open: (ctx: Context) => Awaitable<R>;
  close?: (resource: NoInfer<R>) => Awaitable<void>;
}): Resource<R> {
  const definition: ResourceDefinition & Resource<R> = { definition: 'resource', ...resource };
  return Object.freeze(definition);
}
