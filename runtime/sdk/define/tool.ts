import type { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import type {
  AnyTool,
  Ask,
  Awaitable,
  Progress,
  Tool,
  ToolContext,
  ToolOptions,
} from './context.ts';

export type ToolPattern = `${string}.${string}`;

type Returned<R> = R extends
  | AsyncGenerator<unknown, infer O, unknown>
  | Generator<unknown, infer O, unknown>
  ? Exclude<O, Refusal>
  : Exclude<Awaited<R>, Refusal>;

/** A tool as the runtime reads it. It has methods because each tool has its own input type. */
export interface ToolDefinition extends AnyTool {
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output?: z.ZodType;
  readonly options: {
    readonly traits?: ToolOptions<z.ZodObject>['traits'];
    readonly effects?: 'none' | 'keyed' | 'unkeyed';
    readonly concurrency?: 'safe' | 'alone';
    readonly timeoutMs?: number;
    readonly callsPerTurn?: number;
    readonly onFailure?: 'continue' | 'fail' | 'escalate';
    readonly resultLimit?: number;
    readonly resultAs?: 'page' | 'text';
    readonly hint?: string;
    readonly cumulative?: boolean;
    readonly defers?: boolean;
    readonly preset?: Readonly<Record<string, unknown>>;
    readonly approval?: 'never' | 'always' | Approval['decide'];
  };
  run(input: object, ctx: ToolContext): unknown;
}
type Approval = {
  decide(input: object, ctx: ToolContext): Awaitable<Ask | Refusal | undefined>;
};

/** Widens literals as the compiler does by default: `'ship'` becomes a string. The schema checks the value itself. */
type Widened<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends object
        ? { [Key in keyof T]: Widened<T[Key]> }
        : T;
type Returns<O> =
  | Awaitable<O | Refusal>
  | AsyncGenerator<Progress, O | Refusal, unknown>
  | Generator<Progress, O | Refusal, unknown>;
/** If the return type of `run` fits the output schema, nothing more is required; otherwise a `run` that fits is. */
type Fits<R, S extends z.ZodObject, Out extends z.ZodType> = [Returned<R>] extends [
  Widened<z.input<Out>>,
]
  ? unknown
  : { readonly run: (input: z.output<S>, ctx: ToolContext) => Returns<z.input<Out>> };

/**
 * Declares a tool. `run` receives the parsed input. Its return value is the result and must fit `output`; the values that
 * a generator yields are progress. Return or throw a Refusal for an expected failure.
 */
export function defineTool<
  Id extends `${string}.${string}`,
  S extends z.ZodObject,
  R,
  Out extends z.ZodType = z.ZodType<Returned<R>>,
>(
  tool: ToolOptions<S> & {
    readonly id: Id;
    readonly description: string;
    readonly input: S;
    readonly output?: Out;
    readonly run: (input: z.output<S>, ctx: ToolContext) => R;
  } & Fits<R, S, Out>,
): Tool<Id, S, z.output<Out>>;
export function defineTool<Id extends string, S extends z.ZodObject>(
  tool: ToolOptions<S> & {
    readonly id: Id;
    readonly description: string;
    readonly input: S;
    readonly output?: z.ZodType;
    readonly run: (input: z.output<S>, ctx: ToolContext) => unknown;
  },
): Tool<Id, S, unknown> {
  const { id, description, input, output, run, ...options } = tool;
  const rest = { description, options, run, ...(output ? { output } : {}) };
  return seal({ definition: 'tool', id, input, ...rest });
}

function seal<Id extends string, S extends z.ZodObject, O>(
  tool: ToolDefinition & { readonly id: Id; readonly input: S },
): Tool<Id, S, O> {
  return Object.freeze({
    ...tool,
    with: ({ description = tool.description, ...other }: ToolOptions<S>): Tool<Id, S, O> => {
      const preset = { ...tool.options.preset, ...other.preset };
      return seal({ ...tool, description, options: { ...tool.options, ...other, preset } });
    },
  });
}

/** An expected failure, for the model and for people. `code` is in lower_case. */
export function refuse(code: string, message: string, options?: { retryable?: boolean }): Refusal {
  return new Refusal(code, message, options);
}

export type AskOptions = {
  detail?: string;
  remember?: 'once' | 'turn' | 'conversation';
  timeoutMs?: number;
};

/** Asks a person before the call continues. */
export function ask(title: string, options: AskOptions = {}): Ask {
  return Object.freeze({ ask: true, title, ...options });
}

const deferral: unique symbol = Symbol.for('timeloom.deferred');

/** The result of a call whose work goes on. */
export type Deferred = { readonly [deferral]: { readonly task?: string; readonly title: string } };

/**
 * For a tool that `defers`: the work goes on after the call, for example in a job. `task` identifies it; default: `ctx.key`.
 * `ctx.tasks.finish` ends it.
 */
export function deferred(work: { title: string; task?: string }): never {
  const value: Deferred = { [deferral]: Object.freeze({ ...work }) };
  return value as never;
}

/** Checks the mark, not the class: a bundle may carry its own copy of this module. */
export function deferralOf(value: unknown): Deferred[typeof deferral] | undefined {
  return isDeferred(value) ? value[deferral] : undefined;
}

function isDeferred(value: unknown): value is Deferred {
  return typeof value === 'object' && value !== null && deferral in value;
}
