import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { WireError } from '../../../../client/protocol/envelope.ts';
import { statusOfCode } from '../../../http/status.ts';

export type RpcId = string | number | null;

/** Of a message that is answered with an error. Null: it has none that the protocol allows. */
export function idOf(body: unknown): RpcId {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null;
}

/** The server's own errors: a client finds our code in `data`. */
const serverError = -32_000;

/** Our refusals and faults as JSON-RPC errors. */
export function toRpcError(error: WireError): ProtocolError {
  const { message, ...data } = error;
  return new ProtocolError(rpcCodeOf(error), message, data);
}

function rpcCodeOf({ code }: WireError): number {
  if (code === 'invalid_input' || code === 'not_found') return ProtocolErrorCode.InvalidParams;
  return statusOfCode(code) >= 500 ? ProtocolErrorCode.InternalError : serverError;
}

export function errorMessage(id: RpcId, { code, message, data }: ProtocolError) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** A refused request, before its method is looked at. */
export function refusedMessage(id: RpcId, error: WireError) {
  const { message, ...data } = error;
  const code = error.code === 'invalid_input' ? ProtocolErrorCode.InvalidRequest : serverError;
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}
