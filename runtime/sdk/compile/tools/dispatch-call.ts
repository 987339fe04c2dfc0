import { readBytes } from '../../../base/bytes/read-bytes.ts';
import { isJsonObject, parseJson } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import { dispatchBytesMax, dispatchErrorChars } from '../../contract/limits.ts';
import type { ToolContext } from '../../define/context.ts';
import type { RunnerSpec } from '../../define/runner.ts';

type Dispatch = Extract<RunnerSpec, { kind: 'dispatch' }>;
type DispatchedCall = {
  readonly tool: string;
  readonly input: object;
  readonly ctx: ToolContext;
};

/**
 * Posts the call and returns the result in the response: JSON, the `content` of an object that has nothing else, or plain
 * text. Refusals `dispatch_failed`, with the status if there is one, and `too_large`.
 */
export async function dispatchCall(spec: Dispatch, call: DispatchedCall): Promise<unknown> {
  const response = await post(spec, call);
  const what = `The response of ${spec.url}`;
  const bytes = response.body
    ? await readBytes(response.body, { bytesMax: dispatchBytesMax, what })
    : Buffer.of();
  const text = bytes.toString('utf8');
  if (response.ok) return resultIn(text, response, spec);
  const { status } = response;
  const said = cutText(text.trim(), dispatchErrorChars);
  const message = `${spec.url} answered ${status}${said === '' ? '' : `: ${said}`}`;
  throw new Refusal('dispatch_failed', message, { retryable: status >= 500 || status === 429 });
}

async function post(spec: Dispatch, { tool, input, ctx }: DispatchedCall): Promise<Response> {
  const { call, turn, round } = ctx.ids;
  const body = { name: tool, arguments: input, call_id: call, turn_id: turn, round };
  const headers = { ...(await headersOf(spec, ctx)), 'content-type': 'application/json' };
  try {
    return await ctx.fetch(spec.url, { method: 'POST', headers, body: JSON.stringify(body) });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    const because = error instanceof Error ? error.message : String(error);
    const message = `${spec.url} could not be reached: ${cutText(because, dispatchErrorChars)}`;
    throw new Refusal('dispatch_failed', message, { retryable: true });
  }
}

/** A response that calls itself JSON must be JSON. Any other text that looks like JSON is read as JSON. */
function resultIn(text: string, { headers, status }: Response, { url }: Dispatch): unknown {
  const isDeclared = /\bjson\b/.test(headers.get('content-type') ?? '');
  const looksLikeJson = /^\s*[[{"]/.test(text);
  const json = isDeclared || looksLikeJson ? parseJson(text) : undefined;
  if (json !== undefined) return unwrap(json);
  if (!isDeclared) return text;
  throw new Refusal('dispatch_failed', `${url} answered ${status} with invalid JSON`);
}

function unwrap(json: unknown): unknown {
  const isWrapped = isJsonObject(json) && Object.keys(json).join() === 'content';
  return isWrapped ? json['content'] : json;
}

async function headersOf(spec: Dispatch, ctx: ToolContext): Promise<Record<string, string>> {
  const headers: Record<string, string> = { 'idempotency-key': ctx.key };
  for (const [name, value] of Object.entries(spec.headers ?? {})) {
    headers[name] = typeof value === 'string' ? value : await ctx.secrets.get(value);
  }
  return headers;
}
