import type { Files } from '../server/conversation-files.ts';
import type { Widgets } from '../server/widgets.ts';

/** What views need besides what they show. */
export type ViewContext = {
  readonly conversation: string;
  readonly files: Files;
  readonly widgets: Widgets;
  /** Answers a question that a call waits for. */
  decide(request: string, allow: boolean): Promise<void>;
  /** Says something to the agent. */
  ask(text: string): void;
  /** Takes a refused message off the page; `edit`: back to where one writes. */
  withdraw(message: string, options: { edit: boolean }): void;
};
