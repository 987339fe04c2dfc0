import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { RuntimeHooks } from '../../sdk/contract/runtime-hooks.ts';
import { noTurn } from '../../timeline/block.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import type { DeclaredKind } from '../ports/bundle-directory.ts';
import { classifyMessage, type IntakeEvent } from './classify-message.ts';
import { bundleOfOpenTurn } from './open-turn-bundle.ts';

type SentMessage = { readonly sender: Sender; readonly message: ChatMessage };
type AdmitInput = SentMessage & { readonly row: ConversationRow | undefined };
type HookInput = SentMessage & {
  /** Of a kind that a bundle declares. */
  readonly kind?: DeclaredKind | undefined;
  readonly signal: AbortSignal;
};

/**
 * What a message means, as the hooks of its bundle take it in, and those of the bundle whose turn it joins: whoever names
 * another bundle does not get past them. Refusals as of `meaningOf`.
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
 * What the hooks of a bundle make of an event before anything of it is kept. A stop is asked of nobody: whoever wants to
 * stop can. Decisions and answers of clients are no events. Refused, it still goes to the store, which keeps nothing of it
 * but knows whether it was taken in before.
 */
export async function runEventHooks(
  event: IntakeEvent,
  admit: RuntimeHooks['event'],
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
  // A text that was only the payload's follows the payload.
  const follows = message.text === undefined ? news.text : undefined;
  return { ...event, ...news, text: (isSaid ? made.text : follows) ?? text };
}

function parsed(kind: DeclaredKind, payload: Json): { text?: string; payload: Json } {
  const found = kind.parse(payload);
  return found.ok ? found : { payload };
}
