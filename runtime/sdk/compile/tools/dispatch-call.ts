import { readBytes } from '../../../base/bytes/read-bytes.ts';
import { dispatchBytesMax } from '../../../tools/limits.ts';
import { notReached, resultOfDispatch } from '../../../tools/results/dispatch-result.ts';
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
  const { body, status, headers } = await post(spec, call);
  const what = `The response of ${spec.url}`;
  const bytes = body ? await readBytes(body, { bytesMax: dispatchBytesMax, what }) : Buffer.of();
  const contentType = headers.get('content-type') ?? '';
  return resultOfDispatch({ status, contentType, text: bytes.toString('utf8') }, spec.url);
}

async function post(spec: Dispatch, { tool, input, ctx }: DispatchedCall): Promise<Response> {
  const { call, turn, round } = ctx.ids;
  const body = { name: tool, arguments: input, call_id: call, turn_id: turn, round };
  const headers = { ...(await headersOf(spec, ctx)), 'content-type': 'application/json' };
  try {
    return await ctx.fetch(spec.url, { method: 'POST', headers, body: JSON.stringify(body) });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    throw notReached(spec.url, error);
  }
}

async function headersOf(spec: Dispatch, ctx: ToolContext): Promise<Record<string, string>> {
  const headers: Record<string, string> = { 'idempotency-key': ctx.key };
  for (const [name, value] of Object.entries(spec.headers ?? {})) {
    headers[name] = typeof value === 'string' ? value : await ctx.secrets.get(value);
  }
  return headers;
}
