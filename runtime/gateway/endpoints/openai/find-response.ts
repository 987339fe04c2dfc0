import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { toSeq, toTurnId } from '../../../timeline/ids.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { afterBlock } from '../../feed/cursor.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { parseResponseId } from '../../projections/openai/response-id.ts';
import { sentUpTo } from '../../projections/resume-point.ts';
import { conversationOfTurn, extentOfTurn } from '../turn-lookup.ts';

export type FoundResponse = {
  readonly row: ConversationRow;
  readonly turn: string;
  readonly part: number;
};

/** `after`: right before the first block of the turn. `json`: its answer is the structured output that its message asked for. */
export async function turnOf({ row, turn }: FoundResponse, { deps, closing: signal }: HttpParts) {
  const extent = await extentOfTurn(row, toTurnId(turn), { store: deps.store, signal });
  const first = extent?.first ?? 1;
  const json = extent?.options['output'] !== undefined;
  return { after: sentUpTo(afterBlock(toSeq(first - 1), first)), json };
}

/** The response in the path. Refusal `not_found`. */
export async function findResponse(
  context: Context<Env>,
  parts: HttpParts,
): Promise<FoundResponse> {
  const id = context.req.param('response') ?? '';
  const found = await findResponseById(context, parts, id);
  if (found) return found;
  throw responseNotFound(id);
}

export function responseNotFound(id: string): Refusal {
  return new Refusal('not_found', `response ${id.slice(0, 200)} not found`);
}

export async function findResponseById(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  id: string,
): Promise<FoundResponse | undefined> {
  const parsed = parseResponseId(id);
  if (!parsed) return undefined;
  const { turn, part } = parsed;
  const place = { store: deps.store, signal };
  const row = await conversationOfTurn(context.get('sender'), toTurnId(turn), place);
  return row && { row, turn, part };
}
