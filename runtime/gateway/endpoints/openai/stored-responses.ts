import type { Context } from 'hono';
import { z } from 'zod';
import { toTurnId } from '../../../timeline/ids.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { queryOf } from '../../input/parse-query.ts';
import { ResponseAnswer } from '../../projections/openai/response-answer.ts';
import { ResponseEvents, type ResponseOptions } from '../../projections/openai/response-events.ts';
import { responseIdOf } from '../../projections/openai/response-id.ts';
import type { ProjectionKind } from '../../projections/projection.ts';
import { stopTurn } from '../stop-turn.ts';
import { readTurn } from '../turn-answer.ts';
import { readTurnEnvelopes } from '../turn-lookup.ts';
import { streamTurn } from '../turn-stream.ts';
import { type FoundResponse, findResponse, responseNotFound, turnOf } from './find-response.ts';
import { conversationHeader, takesProgress, toBody } from './respond.ts';

export const responseQuery = z.object({
  stream: z.stringbool().default(false),
  starting_after: z.coerce.number().int().min(-1).default(-1),
});

/** `GET /v1/responses/{id}`: as it is now, or as a stream from its start or after an event. */
export async function getResponse(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { stream, starting_after: after } = queryOf(context, responseQuery);
  const found = await findResponse(context, parts);
  const { row, turn, part } = found;
  context.header(conversationHeader, row.id);
  const { after: start, json } = await turnOf(found, parts);
  const options = { only: { part, after }, json, withProgress: takesProgress(context) };
  if (!stream) return snapshot(context, parts, { row, turn, options });
  return streamTurn(context, parts, { row, after: start, kind: streamOf(options) });
}

/** `POST /v1/responses/{id}/cancel`: stops the turn. A response that has ended stays as it is. */
export async function cancelResponse(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const found = await findResponse(context, parts);
  const { row, turn, part } = found;
  await stopTurn(context, parts, { conversation: row.id, turn });
  const { after, json } = await turnOf(found, parts);
  const options = { only: { part, after: -1 }, json };
  const kind = { open: () => new ResponseAnswer(options), isResumable: false };
  const gone = context.req.raw.signal;
  const frames = await readTurn(parts, { row, after, kind }, { gone });
  return toBody(context, frames?.at(-1)?.data);
}

export function streamOf(options: ResponseOptions): ProjectionKind {
  return { open: () => new ResponseEvents(options), isResumable: false };
}

type SnapshotOf = Pick<FoundResponse, 'row' | 'turn'> & { readonly options: ResponseOptions };

/** The response as far as it is on the log. */
export async function snapshot(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  { row, turn, options }: SnapshotOf,
): Promise<Response> {
  const events = new ResponseEvents(options);
  const place = { store: deps.store, signal };
  for (const each of await readTurnEnvelopes(row, toTurnId(turn), place)) events.take(each);
  const { response } = events;
  const { only } = options;
  if (only !== undefined && response['id'] !== responseIdOf(turn, only.part)) {
    throw responseNotFound(responseIdOf(turn, only.part));
  }
  return context.json(response);
}
