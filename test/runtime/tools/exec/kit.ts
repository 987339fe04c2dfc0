import { createExecTools } from '../../../../runtime/tools/exec/run/exec-tools.ts';
import type {
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
  Sandbox,
} from '../../../../runtime/tools/ports/sandbox.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';

export type Program = (
  request: ExecRequest,
  host: ExecHost,
  signal: AbortSignal,
) => AsyncIterable<ExecEvent>;

/** Replaces the sandbox: the behaviour of a program is given in TypeScript. */
export function sandboxOf(run: Program): Sandbox {
  return {
    backend: 'fake',
    languages: ['python', 'javascript'],
    run: (request, host, { signal }) => run(request, host, signal),
  };
}

export function envelope(request: ExecRequest, more: Partial<ExecEnvelope> = {}): ExecEvent {
  return {
    kind: 'done',
    envelope: {
      ok: more.error == null,
      artifacts: [],
      error: null,
      report_text: 'Status: ok',
      user_out_tail: '',
      runtime_err_tail: '',
      phases_ms: { prepare: 1, ready: 1, run: 1, collect: 1 },
      kill_reason: null,
      limits: { ...request.limits, memory: 'kernel' },
      backend: 'fake',
      ...more,
    },
  };
}

export function execTool(run: Program | undefined): Tool {
  let count = 0;
  const next = (prefix: string) => {
    count += 1;
    return `${prefix}_n${count}`;
  };
  const ids = { next };
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const [python] = createExecTools({
    ids,
    clock,
    ...(run ? { sandbox: sandboxOf(run) } : { unavailable: 'Install bubblewrap.' }),
  });
  if (!python) throw new Error('no python');
  return python;
}

export const code = { text: 'print(1)', language: 'python' as const };
export const quick: Program = async function* (request) {
  yield envelope(request);
};
