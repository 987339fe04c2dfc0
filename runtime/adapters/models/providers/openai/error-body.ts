import { isJsonObject, parseJson } from '../../../../base/json.ts';

/**
 * Compatible servers write their errors in many forms, and the library reads only OpenAI's: any other one would become
 * "400 status code (no body)". This puts the server's words where the library looks for them.
 */
export async function readableErrors(
  input: Parameters<typeof fetch>[0],
  init?: Parameters<typeof fetch>[1],
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const { status, statusText, headers } = response;
  const body = JSON.stringify({ error: errorIn(await response.text()) });
  const kept = new Headers(headers);
  kept.delete('content-length');
  kept.delete('content-encoding');
  kept.set('content-type', 'application/json');
  return new Response(body, { status, statusText, headers: kept });
}

type ErrorFields = {
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly failed_generation?: string;
};

/** `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, or plain text. */
function errorIn(text: string): ErrorFields {
  const body = parseJson(text);
  if (!isJsonObject(body)) return { message: text.trim() };
  const inner = isJsonObject(body['error']) ? body['error'] : body;
  const said = inner['message'] ?? body['error'] ?? body['detail'] ?? body;
  const upstream = rawOf(inner['metadata']);
  const message = typeof said === 'string' ? said : JSON.stringify(said);
  return {
    message: upstream === undefined ? message : `${message}: ${upstream}`,
    ...named('type', inner['type']),
    ...named('code', inner['code']),
    ...named('failed_generation', inner['failed_generation']),
  };
}

/** OpenRouter adds the words of the provider that it asked. */
function rawOf(metadata: unknown): string | undefined {
  const raw = isJsonObject(metadata) ? metadata['raw'] : undefined;
  return typeof raw === 'string' ? raw : undefined;
}

function named(key: Exclude<keyof ErrorFields, 'message'>, value: unknown): Partial<ErrorFields> {
  return typeof value === 'string' ? { [key]: value } : {};
}
