import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { AdmitEvent } from '../../sdk/contract/runtime-hooks.ts';
import { noTurn } from '../../timeline/ids.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import type { DeclaredKind } from '../ports/bundle-directory.ts';
import { classifyMessage, type IntakeEvent } from './classify-message.ts';
import { bundleOfOpenTurn } from './open-turn-bundle.ts';

type SentMessage = { readonly sender: Sender; readonly message: ChatMessage };
type AdmitInput = SentMessage & { readonly row: ConversationRow | undefined };
type HookInput = SentMessage & {
  /** Set for a kind that a bundle declares. */
  readonly kind?: DeclaredKind | undefined;
  readonly signal: AbortSignal;
};

/**
 * Classifies a message and runs the event hooks of its bundle, and of the bundle whose turn it joins, so that naming
 * another bundle does not bypass them. Refusals as in `classifyMessage`.
 */
export async function admitMessage(
  { sender, message, row }: AdmitInput,
  place: Parameters<typeof classifyMessage>[2],
): Promise<IntakeEvent> {
  const { bundle, bundles, signal } = place;
  const classified = await classifyMessage(message, row, place);
  const kind = bundles.kind(bundle, message.kind);
  const input = { sender, message, kind, signal };
  const event = await runEventHooks(classified, bundles.admitEvent(bundle), input);
  const others = bundles.admitting().filter((each) => each !== bundle);
  if (others.length === 0 || !row || event.refusal) return event;
  const working = (await bundleOfOpenTurn(row, place)) ?? bundles.default().bundle;
  if (!others.includes(working)) return event;
  return runEventHooks(event, bundles.admitEvent(working), input);
}

/**
 * Runs the event hooks of a bundle before anything of the event is stored. A stop skips the hooks, so that it is always
 * possible. Decisions and results from clients are not events. A refused event is still passed to the store, which
 * stores nothing of it but knows whether it was accepted before.
 */
export async function runEventHooks(
  event: IntakeEvent,
  admit: AdmitEvent | undefined,
  { sender, message, kind: declared, signal }: HookInput,
): Promise<IntakeEvent> {
  const { kind, conversation_id: conversation } = message;
  const isStop = kind === 'steer' && event.text.trim() === '';
  if (!admit || event.answer || isStop) return event;
  const { text, payload } = event;
  const hookEvent = { kind, text, ...(payload === undefined ? {} : { payload }) };
  const admitted = await admit(hookEvent, {
    ...{ user: sender.user, signal },
    ...(conversation === undefined ? {} : { conversation }),
    fits: ({ payload: made }) => declared === undefined || declared.parse(made ?? null).ok,
  });
  if (!admitted.ok) {
    const { code, message: because, retryable } = admitted.error;
    return { ...event, refusal: new Refusal(code, because, { retryable }), expectTurn: noTurn };
  }
  const made = admitted.value;
  const news: { readonly text?: string; readonly payload: Json | undefined } = declared
    ? parsed(declared, made.payload ?? null)
    : { payload: made.payload };
  const isSaid = made.text !== undefined && made.text !== text;
  // If the text was derived from the payload, it follows the new payload.
  const follows = message.text === undefined ? news.text : undefined;
  return { ...event, ...news, text: (isSaid ? made.text : follows) ?? text };
}

function parsed(kind: DeclaredKind, payload: Json): { text?: string; payload: Json } {
  const found = kind.parse(payload);
  return found.ok ? found : { payload };
}
