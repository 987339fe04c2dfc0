import type { z } from 'zod';

/** Types of definitions that are their own typed key for `ctx`. */

export interface Props<P> {
  readonly '~props'?: P;
}
export interface Secret {
  readonly id: string;
}
export interface Resource<R> {
  readonly '~resource'?: R;
}
export interface EventDefinition<S extends z.ZodType> {
  readonly kind: string;
  readonly payload: S;
}
export interface Job<S extends z.ZodObject> {
  readonly id: string;
  readonly input?: S;
}
