import type { Json } from '../../base/json.ts';

/** How a model writes its reply. Everything after channel events is the same for all of them. */
export const protocols = ['channels', 'native-tools', 'json', 'plain'] as const;
export type Protocol = (typeof protocols)[number];

/**
 * One piece of a reply as a model streams it. `call` identifies a tool call within its reply. Calls do not interleave,
 * and a call that was cut off has no `call_end`.
 */
export type ReplyPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** The provider's own reasoning, if available. Never part of the protocol. */
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A tool call begins. `name` is the name on the wire. */
  | { readonly kind: 'call'; readonly call: string; readonly name: string }
  /** More of the call's arguments: JSON text. None at all means no arguments. */
  | { readonly kind: 'arguments'; readonly call: string; readonly text: string }
  | { readonly kind: 'call_end'; readonly call: string }
  /** Opaque reasoning that the provider requires back with the history. */
  | { readonly kind: 'carry'; readonly provider: string; readonly item: Json };
