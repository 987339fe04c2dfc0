import type { Files } from '../server/conversation-files.ts';
import type { Widgets } from '../server/widgets.ts';

/** What views need besides their data. */
export type ViewContext = {
  readonly conversation: string;
  readonly files: Files;
  readonly widgets: Widgets;
  /** Answers an approval request. */
  decide(request: string, allow: boolean): Promise<void>;
  /** Sends a message to the agent. */
  ask(text: string): void;
  /** Removes a refused message from the page. `edit` puts it back into the composer. */
  withdraw(message: string, options: { edit: boolean }): void;
};
