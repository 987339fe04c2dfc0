import { readJson } from '../../../base/bounded-json.ts';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { parseInput } from '../../../tools/definition/schema.ts';
import type { OperationRequest } from '../../contract/runtime-bundle.ts';
import type { OperationDefinition } from '../../define/surfaces.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';

type ParsedInput =
  | { readonly ok: true; readonly input: object }
  | { readonly ok: false; readonly because: string };

/** The input of an operation: for GET the query, coerced to the schema; otherwise a JSON object in the body. */
export async function inputOf(
  { method, input: schema }: OperationDefinition,
  request: OperationRequest,
): Promise<ParsedInput> {
  const raw = method === 'GET' ? coerceQuery(schema, queryOf(request)) : bodyOf(request);
  if (raw === undefined) return { ok: false, because: 'request body is not a JSON object' };
  const parsed = await schema.safeParseAsync(raw);
  return parsed.success
    ? { ok: true, input: parsed.data }
    : { ok: false, because: toSentence(toViolations(parsed.error)) };
}

function coerceQuery(schema: OperationDefinition['input'], query: JsonObject): JsonObject {
  const parsed = parseInput(schema, query);
  return parsed.ok ? parsed.input : query;
}

/** A repeated key becomes a list. */
function queryOf({ url }: OperationRequest): JsonObject {
  const { searchParams } = new URL(url);
  const entries = [...new Set(searchParams.keys())].map((key) => {
    const [first = '', ...more] = searchParams.getAll(key);
    return [key, more.length > 0 ? [first, ...more] : first] as const;
  });
  return Object.fromEntries(entries);
}

function bodyOf({ body }: OperationRequest): JsonObject | undefined {
  if (body.byteLength === 0) return {};
  const read = readJson(new TextDecoder().decode(body));
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}

/** A separate request for each reader, because a body can be read only once. */
export function toRequest({ method, url, headers, body }: OperationRequest): Request {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.byteLength > 0;
  return new Request(url, {
    method,
    headers: lines,
    ...(hasBody && { body: new Uint8Array(body) }),
  });
}
