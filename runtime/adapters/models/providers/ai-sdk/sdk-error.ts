import { Fault } from '../../../../base/fault.ts';
import { isJsonObject, parseJson } from '../../../../base/json.ts';

/**
 * Errors of the AI SDK come in several forms: of a request, of a package that cannot read an answer, or the provider's
 * plain object from within a stream. The result has the fields that errors of provider libraries share.
 */
export function toProviderError(error: unknown): Error {
  const { name, message, statusCode, responseHeaders, responseBody, value, data } = fieldsOf(error);
  if (name === 'AI_LoadAPIKeyError') {
    return new Fault('MODEL_KEY_MISSING', { because: String(message) }, { cause: error });
  }
  const stated = [value, parseJson(String(responseBody)), data, error].map(statedError);
  const { type } = stated.find((each) => each.type !== undefined) ?? {};
  const said = stated.find((each) => each.message !== undefined)?.message ?? textOf(responseBody);
  const result = new Error(said ?? textOf(message) ?? 'the provider failed', { cause: error });
  return Object.assign(result, {
    status: isFailure(statusCode) ? statusCode : undefined,
    headers: new Headers(isJsonObject(responseHeaders) ? toText(responseHeaders) : {}),
    type,
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(error: unknown): Fields {
  if (error instanceof Error) return { ...error, name: error.name, message: error.message };
  return isJsonObject(error) ? error : { message: String(error) };
}

/** The provider's own words, in the places where providers put them. */
function statedError(place: unknown): { readonly type?: string; readonly message?: string } {
  const fields = fieldsOf(isJsonObject(place) && 'error' in place ? place['error'] : place);
  if (place === undefined || fields['name'] !== undefined) return {};
  const type = [fields['type'], fields['status'], fields['code']].find(
    (each) => typeof each === 'string',
  );
  const message = textOf(fields['message']);
  return { ...(type === undefined ? {} : { type }), ...(message === undefined ? {} : { message }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A stream that breaks is an error of a request with status 200. */
function isFailure(status: unknown): boolean {
  return typeof status === 'number' && status >= 400;
}

function toText(headers: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
