import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { chatMessage } from '../../client/protocol/request-schemas.ts';
import type { BundleEvents } from '../../sdk/compile/host/bundle-host.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { conversationNotFound } from '../auth/find-conversation.ts';
import { parseInput } from '../input/parse-input.ts';
import { RateLimit } from '../input/rate-limit.ts';
import { acceptEvent } from './accept-event.ts';
import { runEventHooks } from './admit-event.ts';
import { classifyDeclared } from './classify-message.ts';
import { conversationIdOf, emptyConversation, openRequest } from './empty-conversation.ts';
import { bundleEventsPerMinuteMax } from './limits.ts';
import { acceptMachineFeedback } from './machine-feedback.ts';
import { findTask, finishTask } from './tasks.ts';

type Parts = Omit<Parameters<typeof acceptEvent>[1], 'signal'> & { readonly clock: Clock };

type Whose = { readonly user: string | undefined; readonly signal: AbortSignal };

/**
 * Events and conversations that bundles create. This needs only the store and the bus, no HTTP server, so workers have
 * it as well.
 */
export function createBundleEvents(parts: Parts, scope: ProjectScope): BundleEvents {
  const { store, ids, clock } = parts;
  const rate = new RateLimit(clock, { perMinute: bundleEventsPerMinuteMax }, 'events');
  const rowOf = async (conversation: string, { user, signal }: Whose) => {
    const own = user && (await store.find({ ...scope, user }, conversation, { signal }));
    const row = own || (await store.find(scope, conversation, { signal }));
    if (row) return row;
    throw conversationNotFound(conversation);
  };
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
      const classified = classifyDeclared(message, kind);
      const row = await rowOf(conversation, { user, signal });
      rate.consume(JSON.stringify([bundle, conversation]));
      const sender = { ...scope, user: row.user };
      const input = { sender, message, kind, signal };
      const event = await runEventHooks(classified, admit, input);
      const submission = { sender, message, event, files: [], agent: { bundle, agent } };
      const { accepted } = await acceptEvent(submission, { ...parts, signal });
      const { status, turn = '', seq } = accepted;
      if (status !== 'conflict') return { status, conversation, turn, seq };
      const used = `message id ${message.message_id} is already used for another message`;
      throw new Refusal('conflict', used);
    },
    async feedback(given, { ids: { bundle, user }, signal }) {
      const row = await rowOf(given.conversation, { user, signal });
      rate.consume(JSON.stringify([bundle, given.conversation]));
      await acceptMachineFeedback(row, given, { ...parts, bundle, signal });
    },
    async finish(ending, { ids: { bundle, user }, signal }) {
      const row = await rowOf(ending.conversation, { user, signal });
      rate.consume(JSON.stringify([bundle, ending.conversation]));
      return finishTask(row, ending, { ...parts, bundle, signal });
    },
    async taskState({ task, conversation }, { ids: { bundle, user }, signal }) {
      const row = await rowOf(conversation, { user, signal });
      return (await findTask(row, task, { ...parts, bundle, signal })).state;
    },
    async open(request, { ids: { bundle }, signal }) {
      const { user, key, title } = parseInput(openRequest, request);
      const sender = { ...scope, user };
      const name = key === undefined ? ids.next('conv') : conversationIdOf(sender, { bundle, key });
      const accepted = await store.accept(emptyConversation(sender, name, ids), { signal });
      if (accepted.status === 'gone' || accepted.key === undefined)
        throw conversationNotFound(name);
      if (title !== undefined) {
        const row = await store.find({ ...scope, user }, name, { signal });
        if (row && row.title === undefined) await store.setTitle(row.key, title, { signal });
      }
      return { id: name };
    },
  };
}
