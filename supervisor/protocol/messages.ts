import { z } from 'zod';
import { Fault } from '../../runtime/base/fault.ts';
import type { Json, JsonObject } from '../../runtime/base/json.ts';
import { codeCharsMax } from './limits.ts';

/** Raised when a message changes its meaning; the two sides refuse each other if it differs. */
export const protocolVersion = 5;

const AnyJson = z.custom<Json>((value) => value !== undefined);

const Id = z.string().min(1).max(64);

/** Everything that an executor may send. */
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
  /** A supervisor that stands between says that its executor broke the protocol. */
  | { readonly type: 'violation'; readonly because: string };

/** What one execution may do; sent once. The executor itself reads only `code`, `env` and `given`. */
export const Start = z.strictObject({
  type: z.literal('start'),
  execution: z.string().max(128),
  language: z.enum(['python', 'javascript']),
  code: z.string().max(codeCharsMax),
  env: z.record(z.string(), z.string()),
  /** A folder of which the program gets its own copy in OUTPUT_DIR. */
  given: z.string().nullable(),
  granted: z.array(z.string()),
  timeoutMs: z.int().positive(),
});
export type Start = z.infer<typeof Start>;

export const ToExecutor = z.discriminatedUnion('type', [
  Start,
  z.strictObject({ type: z.literal('result'), id: Id, result: AnyJson }),
  /** Stop by yourself, soon: what is left afterwards is killed. */
  z.strictObject({ type: z.literal('cancel') }),
]);
export type ToExecutor = z.infer<typeof ToExecutor>;

/** Fault `EXEC_PROTOCOL` for anything that is not exactly one of them. */
export function toExecutor(value: unknown): ToExecutor {
  const parsed = ToExecutor.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('EXEC_PROTOCOL', { because: z.prettifyError(parsed.error).slice(0, 500) });
}
