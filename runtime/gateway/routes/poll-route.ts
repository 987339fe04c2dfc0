import type { Context } from 'hono';
import { z } from 'zod';
import { findConversation } from '../auth/find-conversation.ts';
import { parsePollPlace, placeAfter, resumePoints } from '../endpoints/poll-place.ts';
import { projectionNamed } from '../endpoints/registry.ts';
import { resumePointOf, turnSource } from '../endpoints/turn-stream.ts';
import { collectFrames } from '../http/collect-frames.ts';
import type { Env, HttpParts } from '../http/context.ts';
import type { Frame } from '../http/frame-stream.ts';
import { pollSecondsDefault, pollSecondsMax } from '../http/limits.ts';
import { queryOf } from '../input/parse-query.ts';

/** Protocols whose frames have ids. */
const polled = ['agentscope', 'ag-ui', 'fim', 'langgraph'] as const;

export const pollQuery = z.object({
  as: z.enum(polled),
  after: z.string().max(20_000).default(''),
  wait: z.coerce.number().int().min(0).max(pollSecondsMax).default(pollSecondsDefault),
});

/**
 * The next frames of a turn as a list, for clients without server-sent events: a queue whose place the client keeps, so that
 * every gateway can answer.
 */
export async function getFrames(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const conversation = context.req.param('conversation') ?? '';
  const row = await findConversation(deps.store, context.get('sender'), { conversation, signal });
  const { as, after, wait } = queryOf(context, pollQuery);
  const place = parsePollPlace(after);
  const source = turnSource(context, parts, {
    ...{ row, kind: projectionNamed(as), places: resumePoints(place) },
    after: await resumePointOf(row, place.last, parts),
  });
  const frames = await collectFrames(context, parts, { source, waitMs: wait * 1_000 });
  const end = JSON.stringify({ after: placeAfter(place, frames), over: source.isOver === true });
  const body = `{"ok":true,"frames":[${frames.map(toJson).join(',')}],${end.slice(1)}`;
  return context.body(body, 200, { 'Content-Type': 'application/json' });
}

/** `data` of these protocols is JSON. */
function toJson({ event, data }: Frame): string {
  return event === undefined
    ? `{"data":${data}}`
    : `{"event":${JSON.stringify(event)},"data":${data}}`;
}
