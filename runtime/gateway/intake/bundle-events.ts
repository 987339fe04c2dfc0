import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { Refusal } from '../../base/refusal.ts';
import { chatMessage } from '../../client/protocol/request-schemas.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import type { Post } from '../../sdk/compile/host/bundle-host.ts';
import type { Scope, TimelineStore } from '../../timeline/ports/store.ts';
import { notFound } from '../auth/find-conversation.ts';
import { parseInput } from '../input/parse-input.ts';
import { Rate } from '../input/rate-limit.ts';
import { acceptEvent } from './accept-event.ts';
import { admitMeant } from './admit-event.ts';
import { meantByKind } from './classify-message.ts';
import { emptyOf, nameOf, opening } from './empty-conversation.ts';
import { bundleEventsPerMinuteMax } from './limits.ts';

type Parts = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly clock: Clock;
};

/** What bundles say and open themselves: it needs the store and the bus, no door, so a worker has it as well. */
export function createPost(parts: Parts, scope: Scope): Post {
  const { store, ids, clock } = parts;
  const rate = new Rate(clock, { perMinute: bundleEventsPerMinuteMax }, 'events');
  return {
    async send(
      { kind, given, conversation, messageId, agent, admit },
      { ids: { bundle, user }, signal },
    ) {
      const message = parseInput(chatMessage, {
        conversation_id: conversation,
        message_id: messageId ?? ids.next('msg'),
        kind: kind.kind,
        payload: given,
      });
      const said = meantByKind(message, kind);
      const own = user && (await store.find({ ...scope, user }, conversation, { signal }));
      const row = own || (await store.find(scope, conversation, { signal }));
      if (!row) throw notFound(conversation);
      rate.draw(JSON.stringify([bundle, conversation]));
      const sender = { ...scope, user: row.user };
      const asking = { sender, message, kind, signal };
      const meant = await admitMeant(said, admit, asking);
      const order = { sender, message, meant, files: [], agent: { bundle, agent } };
      const { accepted } = await acceptEvent(order, { ...parts, signal });
      const { status, turn = '', seq } = accepted;
      if (status !== 'conflict') return { status, conversation, turn, seq };
      const used = `the message id ${message.message_id} was used for another message`;
      throw new Refusal('conflict', used);
    },
    async open(asked, { ids: { bundle }, signal }) {
      const { user, key, title } = parseInput(opening, asked);
      const sender = { ...scope, user };
      const name = key === undefined ? ids.next('conv') : nameOf(sender, { bundle, key });
      const accepted = await store.accept(emptyOf(sender, name, ids), { signal });
      if (accepted.status === 'gone' || accepted.key === undefined) throw notFound(name);
      if (title !== undefined) {
        const row = await store.find({ ...scope, user }, name, { signal });
        if (row && row.title === undefined) await store.setTitle(row.key, title, { signal });
      }
      return { id: name };
    },
  };
}
