import type { WireError } from '../../../client/protocol/envelope.ts';
import type { OpenAiError } from '../../projections/openai/openai-error.ts';

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [429, 'rate_limit_error'],
]);

const codes: ReadonlyMap<string, string> = new Map([
  ['unauthenticated', 'invalid_api_key'],
  ['busy', 'rate_limit_exceeded'],
  ['invalid_input', 'invalid_value'],
]);

/** An error as clients of OpenAI expect it. The field that a message names first is its `param`. */
export function openAiError(
  { code, message, reason }: WireError,
  status: number,
): { readonly error: OpenAiError } {
  const type = status >= 500 ? 'server_error' : (types.get(status) ?? 'invalid_request_error');
  const [, param = null] = /^([A-Za-z_][\w.[\]]*): /.exec(message) ?? [];
  return { error: { message, type, code: reason ?? codes.get(code) ?? code, param } };
}
