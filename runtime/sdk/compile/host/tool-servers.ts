import type { Tool } from '../../../tools/ports/tool.ts';

/** Credentials for a server, read again for every connection. */
export type ServerAccess = {
  /** Headers or environment variables, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** The secret values among them, which must never be shown. */
  readonly secrets: readonly string[];
};

/** An MCP server as a bundle declares it. */
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
  /** Patterns for the server's own tool names. `deny` wins over `allow`. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly timeoutMs: number;
  /** Fault `SECRET_MISSING`. */
  access(): Promise<ServerAccess>;
};

/** What a server currently offers. The same object while nothing changes. */
export type ToolOffer = {
  /** Kept while the server is briefly unreachable: each change of the catalogue invalidates the prompt cache. */
  readonly tools: readonly Tool[];
  /** A notice for the model while it applies. */
  readonly notice?: string;
};

/** One server in use. Disposing of the last user ends the session. */
export interface ToolServer extends AsyncDisposable {
  offer(): ToolOffer;
  /** Why the server cannot be reached, as text for people. Undefined if it can. */
  readonly problem: string | undefined;
}

export interface ToolServers {
  /** Resolves after the first connection attempt, successful or not. Later attempts run in the background. */
  open(settings: ToolServerSettings, options: { signal: AbortSignal }): Promise<ToolServer>;
}
