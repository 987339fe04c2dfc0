import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { WireError } from '../../../../client/protocol/envelope.ts';
import { statusOfCode } from '../../../http/status.ts';
import { rpcCodes } from './rpc-error.ts';

/** Our refusals and faults as JSON-RPC errors. */
export function toRpcError(error: WireError): ProtocolError {
  const { message, ...data } = error;
  return new ProtocolError(rpcCodeOf(error), message, data);
}

function rpcCodeOf({ code }: WireError): number {
  if (code === 'invalid_input' || code === 'not_found') return ProtocolErrorCode.InvalidParams;
  return statusOfCode(code) >= 500 ? ProtocolErrorCode.InternalError : rpcCodes.server;
}
