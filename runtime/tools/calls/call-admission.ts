import type { JsonObject } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
import type { Draft } from '../../timeline/block.ts';
import { admissionMsMax, stopGraceMs } from '../limits.ts';
import type { Admission, CallContext, PreCall, ToolError } from '../ports/tool.ts';
import { type TimeLimit, toError } from '../results/call-error.ts';
import { bindInput, invalidInput } from './call-input.ts';
import { type CallRequest, identity, type NestedRequest, settleOrStop } from './run-call.ts';

/** What must happen before the call. The call itself refuses invalid input. */
export async function considerCall(
  request: Omit<CallRequest, 'blobs'>,
): Promise<{ considered: PreCall; blocks: readonly Draft[] }> {
  const considered = await consider(request);
  return { considered, blocks: request.context.services.take() };
}

async function consider(request: Omit<CallRequest, 'blobs'>): Promise<PreCall> {
  const { tool } = request;
  const { consider } = tool;
  if (!consider) return { ok: true };
  const asked = await askBefore(request, tool.spec.timeoutMs, (...given) => consider(...given));
  return 'unfit' in asked ? { ok: true } : asked;
}

type AdmitOptions = { readonly edited?: boolean };

/** The decision of the hooks, before the call is recorded. Undefined without hooks. Invalid input is refused. */
export async function admitCall(
  request: Omit<CallRequest, 'blobs'>,
  options: AdmitOptions = {},
): Promise<{ admission: Admission | undefined; blocks: readonly Draft[] }> {
  const { admit } = request.tool;
  if (!admit) return { admission: undefined, blocks: [] };
  const asked = await askBefore(request, admissionMsMax, (...given) => admit(...given, options));
  const admission = 'unfit' in asked ? { ok: false as const, error: asked.unfit } : asked;
  return { admission, blocks: request.context.services.take() };
}

/** Admission of a nested call: blocks that it leaves are kept with the outer call. */
export async function admitNestedCall({
  id,
  ...request
}: NestedRequest): Promise<Admission | undefined> {
  const { call, signal, services: outer } = request.context;
  const services = outer.nested(call, { signal, id });
  const context = { ...request.context, services };
  const { admission, blocks } = await admitCall({ ...request, literal: true, context });
  outer.keep(blocks);
  return admission;
}

type RefusedCall = { readonly ok: false; readonly error: ToolError };

/** Runs a check with a deadline before a call begins, on valid input only. */
async function askBefore<T>(
  request: Omit<CallRequest, 'blobs'>,
  ms: number,
  ask: (input: JsonObject, context: CallContext) => Promise<T>,
): Promise<T | RefusedCall | { readonly unfit: ToolError }> {
  const { tool, context, mask = identity } = request;
  const limit: TimeLimit = { ms, ofTurn: false };
  using work = new Work(context.signal, { deadlineMs: ms });
  const { signal } = work;
  try {
    signal.throwIfAborted();
    const bound = await bindInput(request);
    if (!bound.ok) return { unfit: bound.error };
    const parsed = tool.parse(bound.input);
    if (!parsed.ok) return { unfit: invalidInput(parsed.violations) };
    const asking = ask(parsed.input, { ...context, signal });
    return await settleOrStop(asking, { signal, graceMs: stopGraceMs });
  } catch (error) {
    const ending = { limit, begun: false, request, stopped: signal.aborted, mask };
    return { ok: false, error: toError(error, ending) };
  }
}
