import type { Json } from '../../base/json.ts';
import type { StreamName } from '../../timeline/ids.ts';

/** What a running call shows immediately: a fact, or a piece of a stream. The engine adds turn, round, fence and order. */
export type LivePiece =
  | { readonly kind: 'live'; readonly type: string; readonly data: Json }
  | {
      readonly kind: 'delta';
      readonly channel: string;
      readonly instance: number;
      /** Unique in the conversation; the block made from the stream carries it as `data.stream`. */
      readonly stream: StreamName;
      readonly marker: string;
      readonly text: string;
      /** In UTF-16 units of the stream. */
      readonly offset: number;
      readonly completed: boolean;
      readonly artifact?: {
        readonly name: string;
        readonly mime?: string;
        readonly title?: string;
      };
    };

export type PublishLive = (piece: LivePiece) => void;
