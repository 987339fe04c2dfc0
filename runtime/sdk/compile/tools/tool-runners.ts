import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { CallContext, ExternalAnswer } from '../../../tools/ports/tool.ts';
import { dispatchCharsMax } from '../../contract/limits.ts';
import type { ToolContext } from '../../define/context.ts';
import { type RunnerSpec, runnerOf } from '../../define/runner.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { toJson } from '../validate/zod-schema.ts';
import { cannotDelegate, cannotHandOver } from './approval.ts';
import { agentResult } from './delegation.ts';

/** The function behind `dispatch`, `external`, `sandbox` and `delegate`; undefined for a tool that runs here. */
export function remoteRun(
  tool: ToolDefinition,
  {
    call,
    loaded,
  }: { readonly call: CallContext; readonly loaded: Pick<LoadedBundle, 'runScript'> },
): ToolDefinition['run'] | undefined {
  const spec = runnerOf(tool.run);
  if (!spec) return undefined;
  if (spec.kind === 'external') {
    return async () => resultOf(call.answer, () => cannotHandOver(tool.id));
  }
  if (spec.kind === 'delegate') {
    return async () =>
      agentResult(
        tool,
        resultOf(call.answer, () => cannotDelegate(tool.id)),
        call,
      );
  }
  if (spec.kind === 'dispatch') return (input, ctx) => postCall(spec, { input, ctx, tool });
  return (input) => loaded.runScript(spec.file, toJson(input), call);
}

/** The answer of the client or the other agent. Its refusal becomes the tool's. */
function resultOf(answer: ExternalAnswer | undefined, withoutAnswer: () => Refusal): Json {
  if (!answer) throw withoutAnswer();
  if (answer.ok) return answer.ret;
  const { code, message, retryable = false } = answer.error;
  throw new Refusal(code, message, { retryable });
}

type Dispatch = Extract<RunnerSpec, { kind: 'dispatch' }>;
type DispatchCall = {
  readonly input: object;
  readonly ctx: ToolContext;
  readonly tool: ToolDefinition;
};

async function postCall(spec: Dispatch, { input, ctx, tool }: DispatchCall): Promise<unknown> {
  const response = await ctx.fetch(spec.url, {
    method: 'POST',
    headers: { ...(await headersOf(spec, ctx)), 'content-type': 'application/json' },
    body: JSON.stringify({ name: tool.id, arguments: input, call_id: ctx.ids.call }),
  });
  const text = await response.text();
  if (!response.ok) {
    const retryable = response.status >= 500 || response.status === 429;
    const said = text.slice(0, 200);
    throw new Refusal('dispatch_failed', `${spec.url} answered ${response.status}: ${said}`, {
      retryable,
    });
  }
  if (text.length > dispatchCharsMax) {
    throw new Refusal(
      'too_large',
      `The response of ${spec.url} has more than ${dispatchCharsMax} characters.`,
    );
  }
  return JSON.parse(text);
}

async function headersOf(spec: Dispatch, ctx: ToolContext): Promise<Record<string, string>> {
  const headers: Record<string, string> = { 'idempotency-key': ctx.key };
  for (const [name, value] of Object.entries(spec.headers ?? {})) {
    headers[name] = typeof value === 'string' ? value : await ctx.secrets.get(value);
  }
  return headers;
}
