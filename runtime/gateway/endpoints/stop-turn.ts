import type { Context } from 'hono';
import type { Env, HttpParts } from '../http/context.ts';

type OpenTurn = { readonly conversation: string; readonly turn: string };

/** Stops a turn for the user of the request, if it is still open. Never rejects: a refusal is the answer of the intake. */
export async function stopTurn(
  context: Context<Env>,
  { deps, intake, closing: signal }: Pick<HttpParts, 'deps' | 'intake' | 'closing'>,
  { conversation, turn }: OpenTurn,
): Promise<void> {
  const message = {
    conversation_id: conversation,
    message_id: deps.ids.next('msg'),
    expected_turn_id: turn,
    kind: 'steer',
    text: '',
  };
  await intake.take(context.get('sender'), message, { signal });
}
