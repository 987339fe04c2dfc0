import type { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { Awaitable, Context, RequestContext, UserContext } from './context.ts';
import type { EventDefinition, Job } from './keys.ts';

export type Access = 'user' | 'public' | { readonly roles: readonly string[] };

export interface Widget {
  readonly id: string;
}
export interface WidgetDefinition extends Widget {
  readonly definition: 'widget';
  readonly title: string;
  readonly ui: string;
  readonly access?: Access;
  readonly main?: boolean;
  readonly renders?: readonly string[];
}

/** Declares a page of the bundle. `ui` is a folder with an index.html; `renders` lists the canvas types it shows. */
export function defineWidget(widget: {
  id: string;
  title: string;
  ui: string;
  access?: Access;
  main?: boolean;
  renders?: readonly string[];
}): Widget {
  return Object.freeze({ definition: 'widget', ...widget } satisfies WidgetDefinition);
}

export interface Operation<Id extends string = string, Input = unknown, Output = unknown> {
  readonly id: Id;
  readonly '~input'?: Input;
  readonly '~output'?: Output;
}
export type Verify = 'none' | ((request: Request, ctx: Context) => Awaitable<boolean>);
export interface OperationDefinition extends Operation {
  readonly definition: 'operation';
  readonly method?: 'GET' | 'POST';
  readonly access?: Access;
  readonly input: z.ZodObject;
  readonly output?: z.ZodType;
  readonly timeoutMs?: number;
  readonly verify?: Verify;
  /** If the caller is identified, `ctx` also is a `UserContext`. */
  run(input: object, ctx: RequestContext): unknown;
}
type OperationContext<A> = A extends 'public' ? RequestContext : UserContext & RequestContext;

/** The content of a `Response` has no known type. */
type Answered<R> = Response extends Awaited<R> ? Json : Exclude<Awaited<R>, Refusal | Response>;

/** Declares an HTTP operation of the bundle. A public operation must say how it verifies its caller. */
export function defineOperation<
  S extends z.ZodObject,
  R,
  A extends Access = 'user',
  const Id extends string = string,
>(
  operation: {
    readonly id: Id;
    readonly method?: 'GET' | 'POST';
    readonly access?: A;
    readonly input: S;
    readonly output?: z.ZodType<Exclude<Awaited<R>, Refusal | Response>>;
    readonly timeoutMs?: number;
    readonly run: (input: z.output<S>, ctx: OperationContext<A>) => R;
  } & (A extends 'public' ? { readonly verify: Verify } : unknown),
): Operation<Id, z.input<S>, Answered<R>> {
  return Object.freeze({ definition: 'operation', ...operation });
}

export interface JobDefinition extends Job<z.ZodObject> {
  readonly definition: 'job';
  readonly schedule?: string;
  readonly timezone?: string;
  readonly on?: 'one' | 'each';
  readonly timeoutMs?: number;
  readonly attempts?: number;
  run(input: object, ctx: Context): unknown;
}

/** Declares background work: on a schedule, or as a durable queue filled by `ctx.jobs.enqueue`. */
export function defineJob<
  S extends z.ZodObject = z.ZodObject<Readonly<Record<never, never>>>,
>(job: {
  id: string;
  /** A cron expression with five fields. Without it the job is a queue. */
  schedule?: string;
  /** Time zone of the schedule. Default: UTC. */
  timezone?: string;
  /** Run once in the fleet (`one`), or in every worker process (`each`). */
  on?: 'one' | 'each';
  /** Time limit of one run. Default: five minutes. */
  timeoutMs?: number;
  input?: S;
  /** Maximum number of attempts. Default: one for a scheduled run, three for a queued item. */
  attempts?: number;
  run: (input: z.output<S>, ctx: Context) => Awaitable<void>;
}): Job<S> {
  return Object.freeze({ definition: 'job', ...job });
}

export interface EventKindDefinition {
  readonly definition: 'event';
  readonly kind: string;
  readonly payload: z.ZodType;
  readonly reactive?: boolean;
  readonly credit?: 0 | 1;
  text(payload: unknown): string;
}

/** Declares a kind of external event. The gateway refuses a payload that does not fit the schema. */
export function defineEvent<S extends z.ZodType>(event: {
  kind: string;
  payload: S;
  /** Whether the event should make the agent act. */
  reactive?: boolean;
  /** Rounds it adds to the budget of the turn it joins. Default: 0. Only a reactive event may add 1. */
  credit?: 0 | 1;
  text: (payload: z.output<S>) => string;
}): EventDefinition<S> {
  return Object.freeze({ definition: 'event', ...event });
}
