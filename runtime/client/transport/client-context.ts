import type { ClientTools, ConversationPlace } from '../api/client.ts';
import type { Conversation } from '../api/types.ts';
import type { Connection } from './connection.ts';
import type { Http } from './http.ts';

/** What all conversations of one client share. */
export type ClientContext = {
  readonly connection: Connection;
  readonly http: Http;
  /** `<tenant>/<project>`, as used in addresses. */
  readonly scope: string;
  /** How long a message waits for its acknowledgement. */
  readonly timeoutMs: number;
  /** Opens another conversation of the client. `isExpected`: the server will create it, and may not have done so yet. */
  open(
    id: string,
    place: Pick<ConversationPlace, 'bundle' | 'agent'> & { readonly isExpected?: () => boolean },
  ): Conversation;
  /** Remembers which conversation a turn belongs to. */
  remember(turn: string, conversation: string): void;
  /** The tools that this client runs itself. */
  readonly tools: ClientTools;
};
