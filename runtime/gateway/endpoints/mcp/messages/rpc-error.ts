import type { WireError } from '../../../../client/protocol/envelope.ts';

export type RpcId = string | number | null;

/** Of a message that is answered with an error. Null: it has none that the protocol allows. */
export function idOf(body: unknown): RpcId {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null;
}

/** Codes of JSON-RPC 2.0. With the server's own, a client finds our code in `data`. */
export const rpcCodes = { unreadable: -32_700, invalidRequest: -32_600, server: -32_000 } as const;

type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

export function errorMessage(id: RpcId, { code, message, data }: RpcError) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** A refused request, before its method is looked at. */
export function refusedMessage(id: RpcId, error: WireError) {
  const { message, ...data } = error;
  const code = error.code === 'invalid_input' ? rpcCodes.invalidRequest : rpcCodes.server;
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}
