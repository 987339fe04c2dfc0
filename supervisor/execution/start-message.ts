import type { ExecRequest } from '../../runtime/tools/ports/sandbox.ts';
import { sandboxPaths } from '../cell/launcher-argv.ts';
import type { Start } from '../protocol/messages.ts';

/** The message that starts an execution, for the executor and its supervisor. */
export function toStartMessage(request: ExecRequest): Start {
  const env = {
    WORKDIR: sandboxPaths.work,
    OUTPUT_DIR: sandboxPaths.out,
    EXECUTION_ID: request.id,
    AGENT_IO_CONTEXT: 'limited',
  };
  const { id: execution, language, code, granted, limits } = request;
  const { timeoutMs } = limits;
  const given = request.inputs.some(({ writable }) => writable) ? sandboxPaths.given : null;
  return { type: 'start', execution, language, code, env, given, granted: [...granted], timeoutMs };
}
