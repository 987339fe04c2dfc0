import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { CallContext, ExternalAnswer } from '../../../tools/ports/tool.ts';
import { runnerOf } from '../../define/runner.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { toJson } from '../validate/zod-schema.ts';
import { cannotDelegate, cannotHandOver } from './approval.ts';
import { agentResult } from './delegation.ts';
import { dispatchCall } from './dispatch-call.ts';

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
  if (spec.kind === 'dispatch') {
    return (input, ctx) => dispatchCall(spec, { input, ctx, tool: tool.id });
  }
  return (input) => loaded.runScript(spec.file, toJson(input), call);
}

/** The answer of the client or the other agent. Its refusal becomes the tool's. */
function resultOf(answer: ExternalAnswer | undefined, withoutAnswer: () => Refusal): Json {
  if (!answer) throw withoutAnswer();
  if (answer.ok) return answer.ret;
  const { code, message, retryable = false } = answer.error;
  throw new Refusal(code, message, { retryable });
}
