import type { Connection } from './connection.ts';
import type { Http } from './http.ts';
import type { ClientTools } from './performer.ts';

/** What conversations of one client share. */
export type Core = {
  readonly connection: Connection;
  readonly http: Http;
  /** `<tenant>/<project>` as it stands in addresses. */
  readonly scope: string;
  /** A turn was told to belong to a conversation. */
  remember(turn: string, conversation: string): void;
  /** What this client performs itself. */
  readonly tools: ClientTools;
};
