/// <reference lib="dom" />
import { createContext, useContext } from 'react';
import type { Client, Conversation } from '../../../../client/index.ts';
import type { Files } from '../server/conversation-files.ts';

/** What the pane beside the conversation shows. */
export type PaneContent =
  | { readonly kind: 'canvas'; readonly name: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly filename: string;
      readonly mime: string;
    };

export type AgentId = { readonly bundle: string; readonly agent: string };

/** Who answers again. Absent: the agent of the turn, with its own model. */
export type Other = { readonly agent?: AgentId; readonly model?: string };

export type Decision = Parameters<Conversation['decide']>[1];

export type PageParts = {
  readonly client: Client;
  readonly files: Files;
};

/** What the views of a conversation need besides their data. */
export type PageContext = PageParts & {
  readonly conversation: Conversation;
  /** Answers an approval request. */
  decide(request: string, decision: Decision): Promise<void>;
  /** Sends a message to the agent. */
  ask(text: string): void;
  /** Removes a refused message from the page. `edit` puts it back into the composer. */
  withdraw(message: string, options: { edit: boolean }): void;
  /** Recalls a message that the agent has not read yet, and puts its text back into the composer. */
  takeBack(message: string, text: string): void;
  /**
   * Continues before a turn, in a conversation of its own, with this message instead of the turn's.
   */
  retry(turn: string, text: string, other?: Other): void;
  /** Continues after a turn in a conversation of its own. */
  branch(turn: string): void;
  openPane(content: PaneContent): void;
  /** Shows the beginning of a turn that has just ended, if its end is in view and it does not fit. */
  settle(turn: HTMLElement): void;
};

const Context = createContext<PageContext | undefined>(undefined);
export const PageProvider = Context.Provider;

export function usePage(): PageContext {
  const page = useContext(Context);
  if (!page) throw new Error('a view is outside its page');
  return page;
}
