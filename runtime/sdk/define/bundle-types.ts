import type { z } from 'zod';
import type { Agent } from './agent.ts';
import type { Tool } from './context.ts';
import type { Operation } from './surfaces.ts';

/** Input and output types of a bundle's operations and tools, by id, for typed clients. */
export type BundleTypes<O, A> = {
  readonly operations: OperationTypes<O>;
  readonly tools: ToolTypes<ToolsOf<A>>;
};

type OperationTypes<O> = { readonly [Id in OperationId<O>]: OperationType<O, Id> };
type OperationId<O> = O extends Operation<infer Id, unknown, unknown> ? Id : never;
type OperationType<O, Id> =
  O extends Operation<infer Own, infer Input, infer Output>
    ? Own extends Id
      ? { readonly input: Input; readonly output: Output }
      : never
    : never;

type ToolsOf<A> = A extends Agent<unknown, infer T> ? T : never;
type ToolTypes<T> = { readonly [Id in ToolId<T>]: ToolType<T, Id> };
type ToolId<T> = T extends Tool<infer Id, z.ZodObject, unknown> ? Id : never;
type ToolType<T, Id> =
  T extends Tool<infer Own, infer S, infer Output>
    ? Own extends Id
      ? { readonly input: z.output<S>; readonly output: Output }
      : never
    : never;
