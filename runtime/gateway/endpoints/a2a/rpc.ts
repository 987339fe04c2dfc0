import { z } from 'zod';
import { readJson } from '../../../base/bounded-json.ts';
import { isFault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { WireError } from '../../../client/protocol/envelope.ts';
import type { ErrorShape } from '../../http/context.ts';
import type { A2aVersion } from '../../projections/a2a/wire-task.ts';

export type RpcId = string | number | null;

export const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number(), z.null()]).default(null),
  method: z.string().max(200),
  params: z.unknown().optional(),
});

export type Method = 'send' | 'stream' | 'get' | 'cancel' | 'subscribe' | 'list';
type NamedMethod = { readonly method: Method; readonly version: A2aVersion };

/** Of the version of 2026 and of 0.3, which write the same methods and messages in two ways. */
export const methods: ReadonlyMap<string, NamedMethod> = new Map([
  ['SendMessage', { method: 'send', version: '1.0' }],
  ['SendStreamingMessage', { method: 'stream', version: '1.0' }],
  ['GetTask', { method: 'get', version: '1.0' }],
  ['CancelTask', { method: 'cancel', version: '1.0' }],
  ['SubscribeToTask', { method: 'subscribe', version: '1.0' }],
  ['ListTasks', { method: 'list', version: '1.0' }],
  ['tasks/list', { method: 'list', version: '0.3' }],
  ['message/send', { method: 'send', version: '0.3' }],
  ['message/stream', { method: 'stream', version: '0.3' }],
  ['tasks/get', { method: 'get', version: '0.3' }],
  ['tasks/cancel', { method: 'cancel', version: '0.3' }],
  ['tasks/resubscribe', { method: 'subscribe', version: '0.3' }],
]);

/** Methods of the protocol that this server does not have. */
const otherMethods = /ExtendedAgentCard|ExtendedCard/;
const pushMethods = /PushNotification|pushNotificationConfig/;

const parseError = -32_700;
const invalidRequest = -32_600;
const methodNotFound = -32_601;
const invalidParams = -32_602;
const internalError = -32_603;
const taskNotFound = -32_001;
const taskNotCancelable = -32_002;
const noPush = -32_003;
const unsupported = -32_004;
const serverError = -32_000;

const codes: ReadonlyMap<string, number> = new Map([
  ['not_json', parseError],
  ['invalid_request', invalidRequest],
  ['method_not_found', methodNotFound],
  ['invalid_input', invalidParams],
  ['task_not_found', taskNotFound],
  ['not_found', taskNotFound],
  ['task_not_cancelable', taskNotCancelable],
  ['push_not_supported', noPush],
  ['unsupported', unsupported],
  ['turn_closed', unsupported],
  ['turn_changed', unsupported],
]);

/** Our refusals and faults as JSON-RPC errors, with our code in `data`. */
export function toRpcError(id: RpcId, { message, ...data }: WireError) {
  const isFailure = data.code === data.code.toUpperCase();
  const code = codes.get(data.code) ?? (isFailure ? internalError : serverError);
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/** Errors before the body is read. */
export const a2aError: ErrorShape = (error) => toRpcError(null, error);

export function isExpected(error: unknown): boolean {
  return isRefusal(error) || isFault(error);
}

export function pushRefused(): Refusal {
  const instead = 'subscribe to the task (SubscribeToTask), or ask for it (GetTask)';
  return new Refusal('push_not_supported', `push notifications are not supported; ${instead}`);
}

/** Refusal for a method that the server does not have. */
export function unknownMethod(name: string): Refusal {
  if (pushMethods.test(name)) return pushRefused();
  const code = otherMethods.test(name) ? 'unsupported' : 'method_not_found';
  return new Refusal(code, `method not supported: ${name}`);
}

export function readBody(text: string) {
  const read = readJson(text);
  return { read, id: read.ok ? idIn(read.value) : null };
}

/** For errors of requests that are wrong otherwise. */
function idIn(body: unknown): RpcId {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
