import type { Ids } from '../../../base/ids.ts';
import type { JsonObject } from '../../../base/json.ts';
import { standing } from '../../../timeline/close/waits.ts';
import { admitNestedCall } from '../../calls/call-admission.ts';
import { runNestedCall } from '../../calls/run-call.ts';
import type { Admission, CallContext, Tool, ToolResult, ToolSpec } from '../../ports/tool.ts';

/** What calls of a program are made with; `context` is that of the call which runs it. */
export type NestedCallParts = {
  readonly context: CallContext;
  readonly granted: readonly Tool[];
  readonly ids: Ids;
  readonly signal: AbortSignal;
};

export type KeyedCall = {
  /** As the program names it. */
  readonly id: string;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly key: string;
  /** `tc_…`, where it has one already. */
  readonly call?: string;
  /** Guards have let it pass, with this input. */
  readonly admitted?: true;
  /** An earlier attempt under this key has no known end. */
  readonly repeated?: true;
};

/** One call, under an id of its own and this key. Nobody is asked here, but what they said of the tool before stands. */
export function runKeyedCall(call: KeyedCall, nested: NestedCallParts): Promise<ToolResult> {
  return runNestedCall(toNestedRequest(call, nested));
}

/** What hooks say of one call, before it is written down. Undefined: nobody was asked. */
export async function admitKeyedCall(
  call: KeyedCall,
  nested: NestedCallParts,
): Promise<Admission | undefined> {
  if (!call.tool.admit) return undefined;
  const admission = await admitNestedCall(toNestedRequest(call, nested));
  const { spec } = call.tool;
  if (!admission?.ok || !admission.ask || isAllowed(spec, nested)) return admission;
  const message = `${spec.id} needs a person’s approval, and nobody is asked from inside a program. Call it as an action of its own.`;
  return { ok: false, error: { code: 'denied', message, retryable: false } };
}

function toNestedRequest(
  { id, tool, input, key, admitted, ...asked }: KeyedCall,
  nested: NestedCallParts,
) {
  const { context, ids, signal } = nested;
  const { call = ids.next('tc'), repeated = false } = asked;
  const { code: _, stream: __, callTool: ___, journal: ____, ...rest } = context;
  const said = {
    ...(isAllowed(tool.spec, nested) ? { approved: key } : {}),
    ...(admitted ? { admitted: key } : {}),
  };
  return { id, tool, input, repeated, context: { ...rest, ...said, call, key, signal } };
}

/** What a person has said of the tool for longer than one call. */
function isAllowed({ id: tool }: ToolSpec, { context }: NestedCallParts): boolean {
  return standing(context.view, { tool, turn: context.turn }) === true;
}
