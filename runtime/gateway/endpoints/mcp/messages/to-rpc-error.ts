import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { WireError } from '../../../../client/protocol/envelope.ts';
import type { HttpParts } from '../../../http/context.ts';
import { statusOfCode } from '../../../http/status.ts';
import { errorMessage, type RpcId, rpcCodes } from './rpc-error.ts';

/** Our refusals and faults as JSON-RPC errors. */
export function toRpcError(error: WireError): ProtocolError {
  const { message, ...data } = error;
  return new ProtocolError(rpcCodeOf(error), message, data);
}

/** A thrown error as the message that answers a request. */
export function toErrorMessage(id: RpcId, error: unknown, { intake }: Pick<HttpParts, 'intake'>) {
  return errorMessage(
    id,
    error instanceof ProtocolError ? error : toRpcError(intake.explain(error)),
  );
}

function rpcCodeOf({ code }: WireError): number {
  if (code === 'invalid_input' || code === 'not_found') return ProtocolErrorCode.InvalidParams;
  return statusOfCode(code) >= 500 ? ProtocolErrorCode.InternalError : rpcCodes.server;
}
