import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';

/** Messages between a supervisor and its keeper, each a line of JSON. */
export const ToKeeper = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    rooms: z.array(
      z.strictObject({ path: z.string(), bytesMax: z.number(), filesMax: z.number() }),
    ),
  }),
  /** Paths below the program's OUTPUT_DIR. */
  z.strictObject({ type: z.literal('unlock'), paths: z.array(z.string()) }),
]);
export type ToKeeper = z.infer<typeof ToKeeper>;

export const FromKeeper = z.discriminatedUnion('type', [
  /** Sent once: this folder exceeds its quota. */
  z.strictObject({ type: z.literal('full'), path: z.string() }),
  z.strictObject({ type: z.literal('unlocked') }),
]);
export type FromKeeper = z.infer<typeof FromKeeper>;

export async function* readMessages<T>(stream: Readable, schema: z.ZodType<T>): AsyncGenerator<T> {
  for await (const line of createInterface({ input: stream })) yield schema.parse(JSON.parse(line));
}

export function toLine(message: ToKeeper | FromKeeper): string {
  return `${JSON.stringify(message)}\n`;
}
