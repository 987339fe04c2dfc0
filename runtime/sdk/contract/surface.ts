type Options = { readonly signal: AbortSignal };

export type SurfaceLimits = {
  /** Characters of one message; longer texts are sent as several messages. */
  readonly textCharsMax: number;
  /** Milliseconds between two edits in the same chat. */
  readonly editMs: number;
  /** Bytes of a file that an agent sends. */
  readonly fileBytesMax: number;
};

export type SentFile = {
  /** Identifies the file at the service; for `download`. */
  readonly id: string;
  readonly name: string;
  readonly mime: string;
};

/** What a person did. `id` is unique within its chat: an update that arrives twice has the same id. */
export type SurfaceUpdate = { readonly id: string; readonly chat: string } & (
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly files: readonly SentFile[];
      /** Id of the message that the person replied to. */
      readonly replyTo?: string;
    }
  /** A press of a button; `value` is that of the button. */
  | { readonly kind: 'button'; readonly value: string }
);

export type SurfaceButton = { readonly label: string; readonly value: string };

/** `text` is Markdown. */
export type SurfaceMessage = { readonly text: string; readonly buttons?: readonly SurfaceButton[] };

/** A message of this server in a chat. */
export type Posted = { readonly chat: string; readonly id: string };

export type SurfaceFile = {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
};

export type WebhookRequest = {
  readonly header: (name: string) => string | undefined;
  /** Read only once the request is known to come from the service. */
  readonly body: () => Promise<unknown>;
};
export type Take = (update: SurfaceUpdate) => Promise<void>;
export type WebhookHandler = (
  request: WebhookRequest,
  take: Take,
  options: Options,
) => Promise<void>;

/**
 * A messenger in which people write to agents, such as Telegram. One adapter connects one account of one service.
 * Calls throw the fault `SURFACE_REFUSED` or, after several attempts, `SURFACE_UNREACHABLE`.
 */
export interface Surface {
  /** Lower-case letters; part of user names and conversation ids. */
  readonly name: string;
  readonly limits: SurfaceLimits;
  /**
   * Calls `take` with each update until the signal aborts, those of one chat in order. An update is confirmed to the service after `take` has
   * resolved; one that was not confirmed arrives again.
   */
  receive(take: Take, options: Options): Promise<void>;
  /** Set if the service sends updates to this server: passes the one in a request to `take`. Refusal `unauthenticated`. */
  readonly webhook?: WebhookHandler | undefined;
  /** Returns the id of the new message. */
  post(chat: string, message: SurfaceMessage, options: Options): Promise<string>;
  edit(posted: Posted, message: SurfaceMessage, options: Options): Promise<void>;
  postFile(chat: string, file: SurfaceFile, options: Options): Promise<string>;
  download(file: SentFile, options: Options): Promise<Uint8Array>;
  /** Shows that an answer is on its way. */
  indicateTyping(chat: string, options: Options): Promise<void>;
}

/** A surface that is served: `take` handles an update that arrived at its webhook; `signal` aborts when it closes. */
export type OpenSurface = {
  readonly surface: Surface;
  readonly signal: AbortSignal;
  readonly take: Take;
};

/** A surface, the chats that may use it, and the agent that answers them; without an agent, the default one. */
export type ServedSurface = {
  readonly surface: Surface;
  readonly allow: 'anyone' | ReadonlySet<string>;
  readonly bundle?: string;
  readonly agent?: string;
  /** The name under which its chats are remembered, if it is not that of the surface. */
  readonly records?: string;
};
