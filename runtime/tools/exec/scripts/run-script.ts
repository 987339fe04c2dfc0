import type { Json, JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Semaphore } from '../../../base/semaphore.ts';
import type { ExecEnvelope } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { createExecHost } from '../host/exec-host.ts';
import { scriptsAtOnceMax, traceChars } from '../limits.ts';
import { toBlock } from '../run/exec-outcome.ts';
import type { ExecParts } from '../run/execute.ts';
import { envelopeOf, sandboxFor } from '../run/run-to-end.ts';
import { cleanTrace, type Script } from './script-program.ts';
import { requestOf } from './script-request.ts';

/**
 * Runs a script of a bundle for a call, and resolves with its RESULT. Refusals: `exec_unavailable`,
 * `input_too_large`, `script_failed`, `timeout`, `result_missing`, `result_invalid`, and those of a program's limits.
 */
export type RunScript = (script: Script, input: Json, context: CallContext) => Promise<Json>;

export function createRunScript(parts: ExecParts): RunScript {
  const few = new Semaphore(scriptsAtOnceMax);
  return (script, input, context) => few.run(() => runScript(script, { input, context, parts }));
}

type ScriptRun = {
  readonly input: Json;
  readonly context: CallContext;
  readonly parts: ExecParts;
};

async function runScript(script: Script, { input, context, parts }: ScriptRun): Promise<Json> {
  const sandbox = sandboxFor({ ...parts, language: script.language });
  context.signal.throwIfAborted();
  const request = await requestOf(script, { ...parts, input, context });
  // Keep only the last value: a script may hand over any number of values.
  const handed: { last?: JsonObject } = {};
  const host = {
    ...createExecHost({ ...parts, context, granted: [] }),
    callTool: async (call: { readonly input: JsonObject }) => {
      handed.last = call.input;
      return { ok: true, ret: null } as const;
    },
  };
  const { signal, services } = context;
  const envelope = await envelopeOf(sandbox.run(request, host, { signal }));
  services.keep(envelope.artifacts.map((artifact) => toBlock(artifact, context)));
  if (envelope.kill_reason === 'cancelled') signal.throwIfAborted();
  if (envelope.error) throw toRefusal(script, envelope, envelope.error);
  return resultOf(script, handed.last);
}

function toRefusal(
  { file }: Script,
  { runtime_err_tail, kill_reason }: ExecEnvelope,
  { code, message }: NonNullable<ExecEnvelope['error']>,
): Refusal {
  const retryable = kill_reason === 'lost';
  if (code !== 'program_failed') {
    return new Refusal(code, `${file}: ${message}`, { retryable });
  }
  const trace = cleanTrace(runtime_err_tail).slice(-traceChars);
  const summary = message.replace('the program', file);
  return new Refusal('script_failed', [summary, trace].join('\n').trim());
}

/** The script may have called the result tool itself, so the value is checked here. */
function resultOf({ file }: Script, handed: JsonObject | undefined): Json {
  if (handed?.['value'] !== undefined) return handed['value'];
  if (handed === undefined) {
    throw new Refusal('result_missing', `${file} ended without assigning RESULT.`);
  }
  const why = String(handed['unfit']).slice(0, traceChars);
  throw new Refusal('result_invalid', `RESULT of ${file} is invalid: ${why}`);
}
