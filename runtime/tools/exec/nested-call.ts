import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { standing } from '../../timeline/waits.ts';
import { performNested } from '../call.ts';
import type { CallContext, Tool, ToolResult } from '../tool.ts';

/** What calls of a program are made with; `context` is that of the call which runs it. */
export type Nested = {
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
};

/** One call, under an id of its own and this key. Nobody is asked here, but what they said of the tool before stands. */
export function performUnderKey(
  { id, tool, input, key }: KeyedCall,
  { context, ids, signal }: Nested,
): Promise<ToolResult> {
  const { code: _, stream: __, callTool: ___, journal: ____, ...rest } = context;
  const isAllowed = standing(context.view, { tool: tool.spec.id, turn: context.turn }) === true;
  const approved = isAllowed ? { approved: key } : {};
  const own = { ...rest, ...approved, call: ids.next('tc'), key, signal };
  return performNested({ id, tool, input, context: own });
}
