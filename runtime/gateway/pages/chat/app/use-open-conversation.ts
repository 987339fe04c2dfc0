/// <reference lib="dom" />
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Client, Conversation } from '../../../../client/index.ts';
import type { AgentId } from '../state/page-context.ts';

/** Number of turns that a conversation opens with, and that each load of earlier messages adds. */
export const turnsLoaded = 20;

type Place = {
  /** Undefined: a conversation that does not exist yet. */
  readonly id: string | undefined;
  readonly agent: AgentId | undefined;
  /** The conversation begins in this page, so the server may not know it yet. */
  readonly isNew: boolean;
};

export type OpenConversation = {
  readonly conversation: Conversation;
  readonly id: string | undefined;
  readonly agent: AgentId | undefined;
  readonly isNew: boolean;
  /** Without an id: a new conversation. */
  open(id?: string): void;
  choose(agent: AgentId): void;
  /** The first message has created the conversation, which now has an address. */
  assign(): void;
};

/** The conversation at the address of the page. */
export function useOpenConversation(client: Client): OpenConversation {
  const [place, setPlace] = useState<Place>(firstPlace);
  const { id, agent, isNew } = place;
  const conversation = useMemo(() => conversationAt(client, place), [client, place]);
  const open = useCallback((next?: string) => {
    const hash = next === undefined ? location.pathname : `#${next}`;
    if (next !== idInAddress()) history.pushState(null, '', hash);
    setPlace((before) => at(next, before));
  }, []);
  useEffect(() => {
    const follow = () => {
      const next = idInAddress();
      setPlace((before) => (before.id === next ? before : at(next, before)));
    };
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  const assign = useCallback(() => {
    if (idInAddress() === undefined) history.pushState(null, '', `#${conversation.id}`);
    setPlace((before) =>
      before.id === conversation.id ? before : { ...before, id: conversation.id },
    );
  }, [conversation]);
  const choose = useCallback((chosen: AgentId) => {
    setPlace((before) => ({ ...before, agent: chosen }));
  }, []);
  return { conversation, id, agent, isNew, open, choose, assign };
}

/** The same object for the same id. Another new place is another new conversation. */
function conversationAt(client: Client, { id, agent }: Place): Conversation {
  return client.conversation(id, { tail: turnsLoaded, ...agent });
}

function firstPlace(): Place {
  const id = idInAddress();
  return { id, agent: undefined, isNew: id === undefined };
}

function at(id: string | undefined, { agent }: Place): Place {
  return { id, agent: id === undefined ? agent : undefined, isNew: id === undefined };
}

/** Undefined: a new one. */
export function idInAddress(): string | undefined {
  return location.hash.slice(1).split('?')[0] || undefined;
}
