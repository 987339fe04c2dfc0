import * as z from 'zod';
import { Fault } from '../../runtime/base/fault.ts';
import type { Json, JsonObject } from '../../runtime/base/json.ts';
import { codeCharsMax } from './limits.ts';

/** Increased when a message changes its meaning; the two sides refuse each other if it differs. */
export const protocolVersion = 5;

const AnyJson = z.custom<Json>((value) => value !== undefined);

const Id = z.string().min(1).max(64);

/** The messages that an executor can send. */
export type FromExecutor =
  | { readonly type: 'hello'; readonly version: number }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly tool: string;
      readonly input: JsonObject;
      readonly reason: string;
    }
  | { readonly type: 'fetch_context'; readonly id: string; readonly path: string }
  | { readonly type: 'fetch_file'; readonly id: string; readonly path: string }
  /** Sent by a supervisor in between: its executor violated the protocol. */
  | { readonly type: 'violation'; readonly because: string };

/** The program and permissions of one execution; sent once. The executor itself reads only `code`, `env` and `given`. */
export const Start = z.strictObject({
  type: z.literal('start'),
  execution: z.string().max(128),
  language: z.enum(['python', 'javascript']),
  code: z.string().max(codeCharsMax),
  env: z.record(z.string(), z.string()),
  /** A folder that is copied to OUTPUT_DIR for the program. */
  given: z.string().nullable(),
  granted: z.array(z.string()),
  timeoutMs: z.int().positive(),
});
export type Start = z.infer<typeof Start>;

export const ToExecutor = z.discriminatedUnion('type', [
  Start,
  z.strictObject({ type: z.literal('result'), id: Id, result: AnyJson }),
  /** Asks the program to stop; what still runs after the grace period is killed. */
  z.strictObject({ type: z.literal('cancel') }),
]);
export type ToExecutor = z.infer<typeof ToExecutor>;

/** Fault `EXEC_PROTOCOL` for anything that is not exactly one of these messages. */
export function toExecutor(value: unknown): ToExecutor {
  const parsed = ToExecutor.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('EXEC_PROTOCOL', { because: z.prettifyError(parsed.error).slice(0, 500) });
}
