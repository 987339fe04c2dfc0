import type { Context } from 'hono';
import type { z } from 'zod';
import { readJson } from '../../base/bounded-json.ts';
import { Refusal } from '../../base/refusal.ts';

/** Problems reported for one invalid input. */
const problemsMax = 5;

/** Parses untrusted input. Refusal `invalid_input` names each invalid field. */
export function parseInput<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, problemsMax).map(({ path, message }) => {
    const place = path.map((part, at) =>
      typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`,
    );
    return `${place.join('') || 'message'}: ${message}`;
  });
  throw new Refusal('invalid_input', problems.join('; '));
}

/**
 * The JSON of the request; `{}` without a body. Refusals `invalid_input` and, for browsers, `unsupported_media_type`: a
 * page of another origin cannot send that type without a preflight request.
 */
export async function jsonOf(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text === '') return {};
  if (isFromBrowser(context) && !isJson(context.req.header('content-type'))) {
    throw new Refusal('unsupported_media_type', 'send JSON with Content-Type: application/json');
  }
  const read = readJson(text);
  if (read.ok) return read.value;
  throw new Refusal('invalid_input', `the request body is not valid JSON: ${read.because}`);
}

/** Browsers send the origin of the page with every POST request. */
function isFromBrowser({ req }: Context): boolean {
  return req.header('origin') !== undefined || req.header('sec-fetch-site') !== undefined;
}

export function isJson(type = ''): boolean {
  return /^application\/([\w.+-]{1,100}\+)?json\s*(;|$)/i.test(type);
}
