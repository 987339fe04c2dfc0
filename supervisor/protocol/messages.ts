import { z } from 'zod';
import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../../runtime/base/json.ts';
import { codeCharsMax } from './limits.ts';

/** Raised when a message changes its meaning; the two sides refuse each other if it differs. */
export const protocolVersion = 5;

/** It came out of JSON.parse, so only its shape is left to check. */
const Input = z.custom<JsonObject>(isJsonObject, { error: 'not an object' });

const AnyJson = z.custom<Json>((value) => value !== undefined);

const Id = z.string().min(1).max(64);

/** Everything that comes out of an executor. It shares its process with the program: nothing here is believed. */
export const FromExecutor = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), version: z.int() }),
  z.strictObject({
    type: z.literal('tool_call'),
    id: Id,
    tool: z.string().min(1).max(256),
    input: Input,
    reason: z.string().max(2_000),
  }),
  z.strictObject({ type: z.literal('fetch_context'), id: Id, path: z.string().max(2_000) }),
  z.strictObject({ type: z.literal('fetch_file'), id: Id, path: z.string().max(2_000) }),
  /** A supervisor that stands between says that its executor broke the protocol. */
  z.strictObject({ type: z.literal('violation'), because: z.string().max(1_000) }),
]);
export type FromExecutor = z.infer<typeof FromExecutor>;

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

/** Fault `EXEC_PROTOCOL` for anything that is not exactly a message of the schema. */
export function parseMessage<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('EXEC_PROTOCOL', { because: z.prettifyError(parsed.error).slice(0, 500) });
}
