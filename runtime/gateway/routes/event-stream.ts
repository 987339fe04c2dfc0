import type { Context } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { tail } from '../../client/protocol/request-schemas.ts';
import { routeOf } from '../../client/protocol/routes.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { projectionNamed, projectionNames } from '../endpoints/registry.ts';
import { resumePointOf, streamTurn } from '../endpoints/turn-stream.ts';
import { resolveStart } from '../feed/history.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { streamFrames } from '../http/frame-stream.ts';
import { queryOf } from '../input/parse-query.ts';

export const streamQuery = z.object({
  after: z.string().optional(),
  tail: tail.optional(),
  as: z.enum(projectionNames).optional(),
});

/** `id` is the cursor, so that `Last-Event-ID` of a browser's automatic reconnect resumes where the stream stopped. */
export async function getStream(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const conversation = context.req.param('conversation');
  if (conversation === undefined) throw new Refusal('not_found', 'conversation is required');
  const sender = context.get('sender');
  const row = await findConversation(deps.store, sender, { conversation, signal });
  const { after, tail: turns, as } = queryOf(context, streamQuery);
  const last = context.req.header('last-event-id') ?? after;
  if (as === undefined) {
    const start = await resolveStart(row, { after: last, tail: turns }, { ...deps, signal });
    return streamFrames(context, parts, { row, start, take: toFrames });
  }
  if (turns !== undefined) throw new Refusal('invalid_input', 'tail: cannot be used with as');
  const kind = projectionNamed(as);
  return streamTurn(context, parts, { row, kind, after: await resumePointOf(row, last, parts) });
}

function toFrames(envelope: WireEnvelope) {
  const { cursor: id, type } = envelope;
  return [{ id, event: routeOf(type), data: JSON.stringify(envelope) }];
}
