import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { RuntimeHooks } from '../../sdk/contract/runtime-hooks.ts';
import { noTurn } from '../../timeline/block.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import type { DeclaredKind } from '../ports/bundle-directory.ts';
import { type Meant, meaningOf } from './classify-message.ts';
import { bundleAtWork } from './open-turn-bundle.ts';

type Said = { readonly sender: Sender; readonly message: ChatMessage };
type Saying = Said & { readonly row: ConversationRow | undefined };
type Asking = Said & {
  /** Of a kind that a bundle declares. */
  readonly kind?: DeclaredKind | undefined;
  readonly signal: AbortSignal;
};

/**
 * What a message means, as the hooks of its bundle take it in, and those of the bundle whose turn it joins: whoever names
 * another bundle does not get past them. Refusals as of `meaningOf`.
 */
export async function admitMessage(
  { sender, message, row }: Saying,
  place: Parameters<typeof meaningOf>[2],
): Promise<Meant> {
  const { bundle, bundles, signal } = place;
  const said = await meaningOf(message, row, place);
  const kind = bundles.kind(bundle, message.kind);
  const asking = { sender, message, kind, signal };
  const meant = await admitMeant(said, bundles.admitEvent(bundle), asking);
  const others = bundles.admitting().filter((each) => each !== bundle);
  if (others.length === 0 || !row || meant.refusal) return meant;
  const working = (await bundleAtWork(row, place)) ?? bundles.default().bundle;
  if (!others.includes(working)) return meant;
  return admitMeant(meant, bundles.admitEvent(working), asking);
}

/**
 * What the hooks of a bundle make of an event before anything of it is kept. A stop is asked of nobody: whoever wants to
 * stop can. Decisions and answers of clients are no events. Refused, it still goes to the store, which keeps nothing of it
 * but knows whether it was taken in before.
 */
export async function admitMeant(
  meant: Meant,
  admit: RuntimeHooks['event'],
  { sender, message, kind: declared, signal }: Asking,
): Promise<Meant> {
  const { kind, conversation_id: conversation } = message;
  const isStop = kind === 'steer' && meant.text.trim() === '';
  if (!admit || meant.answer || isStop) return meant;
  const { text, payload } = meant;
  const event = { kind, text, ...(payload === undefined ? {} : { payload }) };
  const admitted = await admit(event, {
    ...{ user: sender.user, signal },
    ...(conversation === undefined ? {} : { conversation }),
    fits: ({ payload: made }) => declared === undefined || declared.parse(made ?? null).ok,
  });
  if (!admitted.ok) {
    const { code, message: because, retryable } = admitted.error;
    return { ...meant, refusal: new Refusal(code, because, { retryable }), expectTurn: noTurn };
  }
  const made = admitted.value;
  const news: { readonly text?: string; readonly payload: Json | undefined } = declared
    ? parsed(declared, made.payload ?? null)
    : { payload: made.payload };
  const isSaid = made.text !== undefined && made.text !== text;
  // A text that was only the payload's follows the payload.
  const follows = message.text === undefined ? news.text : undefined;
  return { ...meant, ...news, text: (isSaid ? made.text : follows) ?? text };
}

function parsed(kind: DeclaredKind, payload: Json): { text?: string; payload: Json } {
  const found = kind.parse(payload);
  return found.ok ? found : { payload };
}
