import type { Clock } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { ExecEnvelope, ExecRequest, Language, Sandbox } from '../../ports/sandbox.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { exhausted } from '../../ports/turn-budget.ts';
import { createExecHost, grantable, type ProgramHost } from '../host/exec-host.ts';
import type { NestedCallParts } from '../host/nested-call.ts';
import { type CallOutcomes, resolveInDoubt } from '../host/resolve-in-doubt.ts';
import type { ExecInput } from '../program/exec-input.ts';
import { programOf, toContract } from '../program/program.ts';
import { programInputs } from '../program/program-inputs.ts';
import { type PlatformLimits, toExecLimits, toPlace } from '../program/program-limits.ts';
import { toOutcome } from './exec-outcome.ts';
import { runToEnd, sandboxFor } from './run-to-end.ts';

export type ExecParts = {
  /** Absent if this machine cannot isolate programs; `unavailable` says what to install. */
  readonly sandbox?: Sandbox;
  readonly unavailable?: string;
  /** Python packages that programs can import besides the standard library; undefined if unknown. */
  readonly libraries?: readonly string[];
  readonly ids: Ids;
  readonly clock: Clock;
  readonly platform?: PlatformLimits | undefined;
};

type ProgramParts = ExecParts & { readonly language: Language };

/** Runs one program, from the request of the model to the result it reads. */
export async function execute(
  asked: ExecInput,
  context: CallContext,
  parts: ProgramParts,
): Promise<ToolOutcome> {
  const sandbox = sandboxFor(parts);
  const code = programOf(context, parts.language);
  const { turn, view } = context;
  const names = { turn, turnName: shortNames(view).turn(turn) };
  const contract = toContract(asked.contract, names);
  const granted = grantable(context.programs?.tools ?? []);
  const { platform } = parts;
  const leftMs = context.budget?.leftMs;
  if (leftMs !== undefined && leftMs <= 0) throw exhausted('no further program can run.');
  const limits = toExecLimits(context.programs, { seconds: asked.timeout_s, leftMs, platform });
  const { inputs, tooLarge } = await programInputs(context, { contract, limits });
  const request: ExecRequest = {
    id: parts.ids.next('exec'),
    tenant: context.scope.tenant,
    ...names,
    language: parts.language,
    code,
    contract,
    inputs,
    granted: granted.map(({ spec }) => spec.id),
    limits,
    ...toPlace(context.programs),
  };
  const { ids, clock } = parts;
  const nested = { context, granted, ids, signal: context.signal };
  const host = createExecHost({ ...nested, clock });
  context.services.emit('chat.exec.status', status(request, asked, context));
  const running = runToEnd(request, { sandbox, host, context });
  const { envelope, outcomes } = await settleCalls(running, { host, nested });
  const { call, services } = context;
  const { counted } = host;
  services.emit('chat.exec.status', {
    call,
    status: envelope.ok ? 'done' : 'error',
    phases_ms: envelope.phases_ms,
  });
  return toOutcome(
    {
      envelope,
      calls: host.digests,
      counted,
      outcomes,
      requested: asked.contract,
      contract,
      tooLarge,
      id: request.id,
    },
    context,
  );
}

/** Resolves the outcomes of its calls and closes their journal, however the program ends. */
async function settleCalls(
  running: Promise<ExecEnvelope>,
  { host, nested }: { host: ProgramHost; nested: NestedCallParts },
): Promise<{ readonly envelope: ExecEnvelope; readonly outcomes: CallOutcomes }> {
  let outcomes: CallOutcomes;
  let envelope: ExecEnvelope;
  try {
    envelope = await running;
  } finally {
    outcomes = await resolveInDoubt(host.begun, nested);
    await nested.context.journal?.[Symbol.asyncDispose]();
  }
  return { envelope, outcomes };
}

function status(request: ExecRequest, { prog_name }: ExecInput, { call }: CallContext) {
  const { id, language, contract } = request;
  return {
    call,
    status: 'preparing',
    execution_id: id,
    language,
    ...(prog_name === undefined ? {} : { name: prog_name }),
    contract: contract.map((file) => ({ ...file })),
  };
}
