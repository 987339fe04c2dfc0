/// <reference lib="dom" />
import { useMemo } from 'react';
import type { Conversation, ConversationState } from '../../../../client/index.ts';
import type { Draft } from '../composer/drafts.ts';
import type { PageContext, PageParts, PaneContent } from '../state/page-context.ts';
import { isWorking } from '../state/status-text.ts';
import { type OpenConversation, turnsLoaded } from './use-open-conversation.ts';
import type { Reports } from './use-reports.ts';
import { type MessageKind, useSending } from './use-sending.ts';

type ActionParts = PageParts & {
  readonly place: OpenConversation;
  readonly reports: Reports;
  /** The drawn state, read when something happens. */
  now(): ConversationState;
  follow(): void;
  restore(draft: Draft): void;
  openPane(content: PaneContent): void;
  settle(turn: HTMLElement): void;
};

type FirstMessage = { readonly text?: string; readonly model?: string };

export type PageActions = {
  readonly context: PageContext;
  send(kind: MessageKind, draft: Draft): void;
};

/** What people can do with the open conversation. */
export function usePageActions(parts: ActionParts): PageActions {
  const { client, files, place, reports, now, follow, restore, openPane, settle } = parts;
  const { conversation, assign, open } = place;
  const sending = useSending(conversation);
  return useMemo(() => {
    const send = (kind: MessageKind, draft: Draft) => {
      sending.send(kind, draft);
      assign();
      follow();
    };
    const turnOf = (id: string) => now().turns.find((turn) => turn.id === id);
    const copyTo = (
      making: Promise<Conversation>,
      { text = '', ...options }: FirstMessage = {},
    ) => {
      making
        .then(async (copy) => {
          const shown = client.conversation(copy.id, { tail: turnsLoaded });
          if (text !== '') await shown.send(text, { options });
          open(shown.id);
        })
        .catch((error: unknown) => reports.failed('copy', error));
    };
    const context: PageContext = {
      ...{ client, files, conversation, openPane, settle },
      decide: (request, decision) => conversation.decide(request, decision),
      ask: (text) => send(isWorking(now()) ? 'followup' : 'prompt', { text, files: [] }),
      withdraw: (message, { edit }) => {
        const draft = sending.withdraw(message);
        if (edit && draft) restore(draft);
      },
      takeBack: (message, text) => {
        conversation
          .recall(message)
          .then((outcome) => outcome === 'recalled' && restore({ text, files: [] }))
          .catch((error: unknown) => reports.failed('recall', error));
      },
      retry: (id, text, other = {}) => {
        const turn = turnOf(id);
        const seq = turn?.seq ?? 0;
        const to = other.agent ?? (turn && { bundle: turn.bundle, agent: turn.agent });
        // Nothing precedes the first turn, so its copy is a new conversation.
        const before =
          seq > 1
            ? conversation.fork({ at: seq - 1, ...to })
            : Promise.resolve(client.conversation(undefined, { ...to }));
        copyTo(before, { text, ...(other.model !== undefined && { model: other.model }) });
      },
      branch: (id) => {
        const at = turnOf(id)?.end?.seq;
        copyTo(conversation.fork(at === undefined ? {} : { at }));
      },
    };
    return { context, send };
  }, [
    client,
    files,
    conversation,
    assign,
    open,
    sending,
    reports,
    now,
    follow,
    restore,
    openPane,
    settle,
  ]);
}
