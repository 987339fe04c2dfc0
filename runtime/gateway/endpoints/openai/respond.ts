import type { Context } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { statusOfCode } from '../../http/status.ts';
import { stopTurn } from '../stop-turn.ts';
import type { TakenMessage } from '../take-message.ts';
import type { TurnRequest } from './take-turn.ts';

/** Names the conversation of a request, and of every response. */
export const conversationHeader = 'X-Timeloom-Conversation';

export function setTurnHeaders(context: Context<Env>, { row, event }: TakenMessage): void {
  context.header(conversationHeader, row.id);
  context.header('X-Request-Id', event.turn);
}

/** Not the package `openai` for Node, which names itself so: its helper `responses.stream()` fails at event types that OpenAI does not have. */
export function takesProgress(context: Context<Env>): boolean {
  return context.req.header('x-stainless-lang') !== 'js';
}

/**
 * A closed connection stops the turn that its request began or continued, as it would stop a model. A request with an
 * `Idempotency-Key` may be repeated for its answer, so its turn goes on.
 */
export function whenGone(
  context: Context<Env>,
  parts: HttpParts,
  { taken, turn }: { readonly taken: TakenMessage; readonly turn: TurnRequest },
): (() => void) | undefined {
  const owns = taken.status === 'started' || turn.results.length > 0;
  if (!owns || context.req.header('idempotency-key') !== undefined) return undefined;
  const open = { conversation: taken.row.id, turn: taken.event.turn };
  return () => void stopTurn(context, parts, open);
}

const failed = z.looseObject({ error: z.looseObject({ code: z.string() }) });

/**
 * A body that is not streamed. The turn of an error has ended, and one without an answer goes on: clients must not repeat
 * either request on their own.
 */
export function toBody(context: Context<Env>, data: string | undefined): Response {
  if (data === undefined) {
    context.header('X-Should-Retry', 'false');
    const message = 'the turn has not ended in time; it goes on in its conversation';
    throw new Refusal('not_ended', message);
  }
  const error = failed.safeParse(JSON.parse(data));
  if (error.success) context.header('X-Should-Retry', 'false');
  const status = error.success ? statusOfCode(error.data.error.code) : 200;
  return context.body(data, status, { 'Content-Type': 'application/json' });
}
