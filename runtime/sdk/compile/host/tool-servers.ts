import type { Tool } from '../../../tools/ports/tool.ts';

/** What a server is opened with; asked for anew at every connection. */
export type ServerAccess = {
  /** Headers, or variables of the environment, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Those of them that nobody may ever read. */
  readonly secrets: readonly string[];
};

/** A server of tools as a bundle asks for it. */
export type ToolServerSettings = {
  /** One word: its tools are `mcp.<id>.<name>`. */
  readonly id: string;
  readonly place:
    | { readonly kind: 'http'; readonly url: string }
    | {
        readonly kind: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        /** Working directory: the folder of the bundle. */
        readonly dir: string;
      };
  /** Patterns of the server's own names. Denied goes before allowed. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly timeoutMs: number;
  /** Fault `SECRET_MISSING`. */
  access(): Promise<ServerAccess>;
};

/** What a server has to offer at this moment. The same object as long as nothing of it has changed. */
export type ToolOffer = {
  /** Kept through short absences of the server: a catalogue that flaps costs every prompt its cache. */
  readonly tools: readonly Tool[];
  /** What a model must know of the server, for as long as it is so. */
  readonly notice?: string;
};

/** One server in use; disposing ends the session when nobody else uses it. */
export interface ToolServer extends AsyncDisposable {
  offer(): ToolOffer;
  /** Why it cannot be reached, in words for people. Undefined: it can. */
  readonly problem: string | undefined;
}

export interface ToolServers {
  /** Resolves after the first attempt to reach it, however that ended; later ones are made in the background. */
  open(settings: ToolServerSettings, options: { signal: AbortSignal }): Promise<ToolServer>;
}
