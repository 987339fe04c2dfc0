import { codeCharsMax } from '../../../../supervisor/protocol/limits.ts';
import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { ExecRequest } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { exhausted } from '../../ports/turn-budget.ts';
import { grouped } from '../../text/cut-text.ts';
import { programInputs } from '../program/program-inputs.ts';
import { toExecLimits, toPlace } from '../program/program-limits.ts';
import type { ExecParts } from '../run/execute.ts';
import { resultTool, type Script, toProgram } from './script-program.ts';

type ScriptExecution = Pick<ExecParts, 'ids' | 'platform'> & {
  readonly input: Json;
  readonly context: CallContext;
};

/** The execution of a script for a call. Refusals `input_too_large`, `budget_exhausted`, `too_many_inputs`. */
export async function requestOf(
  script: Script,
  { ids, platform, input, context }: ScriptExecution,
): Promise<ExecRequest> {
  const leftMs = context.budget?.leftMs;
  if (leftMs !== undefined && leftMs <= 0) throw exhausted('no further script can run.');
  const limits = toExecLimits(context.programs, { leftMs, platform });
  const { inputs } = await programInputs(context, { contract: [], limits });
  return {
    id: ids.next('exec'),
    tenant: context.scope.tenant,
    turn: context.turn,
    language: script.language,
    code: codeOf(script, input),
    contract: [],
    inputs,
    granted: [resultTool],
    limits,
    ...toPlace(context.programs),
  };
}

function codeOf(script: Script, input: Json): string {
  const code = toProgram(script, JSON.stringify(input));
  if (code.length <= codeCharsMax) return code;
  const most = `${grouped(codeCharsMax)} characters`;
  const message = `INPUT and ${script.file} have more than ${most} together: pass the path of a file in the input instead.`;
  throw new Refusal('input_too_large', message);
}
