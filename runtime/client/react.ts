import { useMemo, useSyncExternalStore } from 'react';
import type { Conversation, ConversationState, Turn } from './api/types.ts';

/** The picture of a conversation as it is now, and what can be done in it. */
export type UsedConversation = ConversationState &
  Pick<Conversation, 'send' | 'followup' | 'steer' | 'event' | 'decide'> & {
    /** Stops whatever is at work. Takes nothing, so that it may be given to a button as it is. */
    stop(): Promise<Turn>;
  };

/**
 * A conversation as React sees it: drawn again with every change, whoever made it. The functions stay the same for the
 * same conversation. On a server it is empty and asks nobody.
 */
export function useConversation(conversation: Conversation): UsedConversation {
  const { subscribe, picture, actions } = useMemo(() => storeOf(conversation), [conversation]);
  const state = useSyncExternalStore(subscribe, picture, emptyState);
  return { ...state, ...actions };
}

const empty: ConversationState = { status: 'offline', turns: [], approvals: [] };

function emptyState(): ConversationState {
  return empty;
}

function storeOf(conversation: Conversation) {
  const actions: Omit<UsedConversation, keyof ConversationState> = {
    send: (text, options) => conversation.send(text, options),
    followup: (text, options) => conversation.followup(text, options),
    steer: (text, options) => conversation.steer(text, options),
    stop: () => conversation.stop(),
    event: (kind, payload, options) => conversation.event(kind, payload, options),
    decide: (request, decision) => conversation.decide(request, decision),
  };
  return {
    subscribe: (changed: () => void) => conversation.onChange(changed),
    picture: () => conversation.state,
    actions,
  };
}
