import { useMemo, useSyncExternalStore } from 'react';
import type { ConversationState } from './api/story.ts';
import type { Conversation, Turn } from './api/types.ts';

/** The current state of a conversation, and the actions on it. */
export type UsedConversation = ConversationState &
  Pick<
    Conversation,
    'send' | 'followup' | 'steer' | 'event' | 'decide' | 'recall' | 'discard' | 'feedback'
  > & {
    /** Stops the running turn. Takes no arguments, so it can be used directly as a click handler. */
    stop(): Promise<Turn>;
  };

/**
 * Subscribes a component to a conversation: it renders again after every change, from any client. The functions are stable
 * for the same conversation. On a server the state is empty and no request is made.
 */
export function useConversation(conversation: Conversation): UsedConversation {
  const { subscribe, snapshot, actions } = useMemo(() => storeOf(conversation), [conversation]);
  const state = useSyncExternalStore(subscribe, snapshot, emptyState);
  return { ...state, ...actions };
}

const empty: ConversationState = {
  status: 'offline',
  turns: [],
  unsent: [],
  approvals: [],
};

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
    recall: (message) => conversation.recall(message),
    discard: (message) => conversation.discard(message),
    feedback: (turn, feedback) => conversation.feedback(turn, feedback),
  };
  return {
    subscribe: (changed: () => void) => conversation.onChange(changed),
    snapshot: () => conversation.state,
    actions,
  };
}
