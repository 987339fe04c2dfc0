import { Fault } from '../../base/fault.ts';
import type { ExecEnvelope, ExecHost, ExecRequest, Sandbox } from '../sandbox.ts';
import type { CallContext } from '../tool.ts';
import { showLive } from './live-output.ts';

type Running = {
  readonly sandbox: Sandbox;
  readonly host: ExecHost;
  readonly context: CallContext;
};

/** The envelope of a program; what it does until then is shown to people. */
export async function runToEnd(
  request: ExecRequest,
  { sandbox, host, context }: Running,
): Promise<ExecEnvelope> {
  for await (const event of sandbox.run(request, host, { signal: context.signal })) {
    if (event.kind === 'done') return event.envelope;
    showLive(event, context);
  }
  throw new Fault('EXEC_FAILED', { because: 'the sandbox ended without a result' });
}
