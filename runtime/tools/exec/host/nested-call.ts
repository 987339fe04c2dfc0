import type { Ids } from '../../../base/ids.ts';
import type { JsonObject } from '../../../base/json.ts';
import { rememberedDecision } from '../../../timeline/close/waits.ts';
import { type CallId, toCallId } from '../../../timeline/ids.ts';
import { admitNestedCall } from '../../calls/call-admission.ts';
import { runNestedCall } from '../../calls/run-call.ts';
import type { Admission, CallContext, Tool, ToolResult, ToolSpec } from '../../ports/tool.ts';

/** What calls of a program need; `context` is that of the call that runs the program. */
export type NestedCallParts = {
  readonly context: CallContext;
  readonly granted: readonly Tool[];
  readonly ids: Ids;
  readonly signal: AbortSignal;
};

type KeyedCall = {
  /** The id that the program gave it. */
  readonly id: string;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly key: string;
  /** `tc_…`, if it already has one. */
  readonly call?: CallId;
  /** Guards have admitted it with this input. */
  readonly admitted?: true;
  /** The outcome of an earlier attempt under this key is unknown. */
  readonly repeated?: true;
};

/** Runs one call under its own id and this key. It cannot ask for approval, but a standing approval of the tool is valid. */
export function runKeyedCall(call: KeyedCall, nested: NestedCallParts): Promise<ToolResult> {
  return runNestedCall(toNestedRequest(call, nested));
}

/** The decision of the hooks on one call, before it is recorded. Undefined if the tool has none. */
export async function admitKeyedCall(
  call: KeyedCall,
  nested: NestedCallParts,
): Promise<Admission | undefined> {
  if (!call.tool.admit) return undefined;
  const admission = await admitNestedCall(toNestedRequest(call, nested));
  const { spec } = call.tool;
  if (!admission?.ok || !admission.ask || isAllowed(spec, nested)) return admission;
  const message = `${spec.id} needs a person’s approval, which a program cannot request. Call it as an action of its own.`;
  return { ok: false, error: { code: 'denied', message, retryable: false } };
}

function toNestedRequest(
  { id, tool, input, key, admitted, ...asked }: KeyedCall,
  nested: NestedCallParts,
) {
  const { context, ids, signal } = nested;
  const { call = toCallId(ids.next('tc')), repeated = false } = asked;
  const { code: _, stream: __, callTool: ___, journal: ____, ...rest } = context;
  const said = {
    ...(isAllowed(tool.spec, nested) ? { approved: key } : {}),
    ...(admitted ? { admitted: key } : {}),
  };
  return { id, tool, input, repeated, context: { ...rest, ...said, call, key, signal } };
}

/** Whether a person has approved the tool for more than one call. */
function isAllowed({ id: tool }: ToolSpec, { context }: NestedCallParts): boolean {
  return rememberedDecision(context.view, { tool, turn: context.turn }) === true;
}
