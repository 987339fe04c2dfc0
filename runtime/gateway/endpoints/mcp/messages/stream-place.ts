import { z } from 'zod';
import { id as idSchema } from '../../../../client/protocol/request-schemas.ts';
import { placeCharsMax } from './limits.ts';

const rpcId = z.union([z.string().max(200), z.number()]);

/** A place in the stream of one call. Everything that is needed to go on from there, on any server. */
const StreamPlace = z.object({
  /** The JSON-RPC id of the call. */
  id: rpcId,
  token: rpcId.optional(),
  name: z.string().max(200),
  /** Of a call whose next request names no session. */
  conversation: idSchema.optional(),
  turn: idSchema,
  /** The event before this place, and the first one of the turn. */
  cursor: z.string().max(300),
  first: z.string().max(300),
  /** Progress notifications before this place. */
  seen: z.int().min(0),
});
export type StreamPlace = z.infer<typeof StreamPlace>;

export function toEventId(place: StreamPlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Undefined: not an id that this server has made. It gives no rights: its conversation is that of the session. */
export function parseEventId(text: string): StreamPlace | undefined {
  if (text.length > placeCharsMax) return undefined;
  try {
    const parsed = StreamPlace.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
