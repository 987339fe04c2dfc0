import type { BundleEndpoint } from '../../../../sdk/contract/runtime-bundle.ts';
import type { Sender } from '../../../../timeline/ports/store.ts';
import type { HttpParts } from '../../../http/context.ts';
import type { LogLevel } from '../../../projections/mcp.ts';

/** An authenticated client of an endpoint, in one conversation. */
export type McpCaller = {
  readonly parts: HttpParts;
  readonly sender: Sender;
  readonly bundle: string;
  readonly endpoint: BundleEndpoint;
  /** The client can ask its user (versions of the protocol with sessions). */
  readonly elicits: boolean;
  /** The least level of the messages that the client wants (versions of the protocol with sessions). */
  readonly logs: LogLevel | undefined;
  /** The session is this conversation. */
  readonly conversation: string;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
};
