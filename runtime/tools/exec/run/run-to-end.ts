import { Fault } from '../../../base/fault.ts';
import { Refusal } from '../../../base/refusal.ts';
import type {
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
  Language,
  Sandbox,
} from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { showLive } from './live-output.ts';

type ProgramRun = {
  readonly sandbox: Sandbox;
  readonly host: ExecHost;
  readonly context: CallContext;
};

/** Runs a program to its envelope and shows its events to people meanwhile. */
export async function runToEnd(
  request: ExecRequest,
  { sandbox, host, context }: ProgramRun,
): Promise<ExecEnvelope> {
  const events = sandbox.run(request, host, { signal: context.signal });
  return envelopeOf(events, (event) => showLive(event, context));
}

/** Reads the events of an execution until its envelope. */
export async function envelopeOf(
  events: AsyncIterable<ExecEvent>,
  show: (event: Exclude<ExecEvent, { kind: 'done' }>) => void = () => undefined,
): Promise<ExecEnvelope> {
  for await (const event of events) {
    if (event.kind === 'done') return event.envelope;
    show(event);
  }
  throw new Fault('EXEC_FAILED', { because: 'the sandbox ended without a result' });
}

type SandboxChoice = {
  readonly sandbox?: Sandbox;
  readonly unavailable?: string;
  readonly language: Language;
};

/** Refusal `exec_unavailable`, saying what to install, if no sandbox runs this language. */
export function sandboxFor(here: SandboxChoice): Sandbox {
  const missing = whyNoSandbox(here);
  if (here.sandbox && missing === undefined) return here.sandbox;
  throw new Refusal('exec_unavailable', missing ?? noIsolation);
}

/** Why no sandbox runs this language, and what to install; undefined if one does. */
export function whyNoSandbox({
  sandbox,
  unavailable,
  language,
}: SandboxChoice): string | undefined {
  if (sandbox?.languages.includes(language)) return undefined;
  if (sandbox) return `This sandbox (${sandbox.backend}) does not run ${language}.`;
  return unavailable ?? noIsolation;
}

const noIsolation = 'Nothing here can isolate generated code: install bubblewrap or Docker.';
