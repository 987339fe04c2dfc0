import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { payloadBytesMax } from '../settings/limits.ts';

/**
 * What a task must know before it can receive messages. It is secret: the key encrypts the message queue,
 * so write access to the bucket alone does not let anyone impersonate either side.
 */
const Payload = z.strictObject({
  bucket: z.string(),
  prefix: z.string(),
  endpoint: z.string().nullable(),
  /** Of this execution, below the prefix. */
  folder: z.string(),
  /** Base64, 32 bytes. */
  key: z.string(),
  /** Milliseconds since the epoch: the task stops itself by then. */
  deadlineMs: z.number(),
  /** Disk quota of each folder that the program writes to. */
  rooms: z.array(z.strictObject({ path: z.string(), bytesMax: z.number(), filesMax: z.number() })),
});
export type Payload = z.infer<typeof Payload>;

/** Fault `EXEC_FAILED` if it does not fit into a secret. */
export function serializePayload(payload: Payload): string {
  const text = JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes <= payloadBytesMax) return text;
  throw new Fault('EXEC_FAILED', { because: 'launch payload too large', bytes });
}

export function parsePayload(text: string): Payload {
  const parsed = Payload.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Fault('EXEC_PROTOCOL', { because: 'the launch payload has another version' });
}
