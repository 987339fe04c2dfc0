import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { payloadBytesMax } from '../settings/limits.ts';

/**
 * What a task must know before anything can be said to it, and what nobody else may: with the key
 * letters are sealed, so whoever can write to the bucket cannot speak for either side.
 */
const Payload = z.strictObject({
  bucket: z.string(),
  prefix: z.string(),
  endpoint: z.string().nullable(),
  /** Of this execution, below the prefix. */
  folder: z.string(),
  /** Base64, 32 bytes. */
  key: z.string(),
  /** Milliseconds since the epoch: by then the task has ended itself. */
  deadlineMs: z.number(),
  /** What each place the program writes to may hold. */
  rooms: z.array(z.strictObject({ path: z.string(), bytesMax: z.number(), filesMax: z.number() })),
});
export type Payload = z.infer<typeof Payload>;

/** Fault `EXEC_FAILED` for one that no secret can hold. */
export function serializePayload(payload: Payload): string {
  const text = JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes <= payloadBytesMax) return text;
  throw new Fault('EXEC_FAILED', { because: 'launch payload too large', bytes });
}

export function parsePayload(text: string): Payload {
  const parsed = Payload.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Fault('EXEC_PROTOCOL', { because: 'the launch payload is of another version' });
}
