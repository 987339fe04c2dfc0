import type { ClientTools, ConversationPlace } from '../api/client.ts';
import type { Conversation } from '../api/types.ts';
import type { Connection } from './connection.ts';
import type { Http } from './http.ts';

/** What conversations of one client share. */
export type ClientContext = {
  readonly connection: Connection;
  readonly http: Http;
  /** `<tenant>/<project>` as it stands in addresses. */
  readonly scope: string;
  /** How long a message waits for its acknowledgement. */
  readonly timeoutMs: number;
  /** Another conversation of the client. */
  open(id: string, place: Pick<ConversationPlace, 'bundle' | 'agent'>): Conversation;
  /** A turn was told to belong to a conversation. */
  remember(turn: string, conversation: string): void;
  /** What this client performs itself. */
  readonly tools: ClientTools;
};
