import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import { performNested } from '../call.ts';
import type { ExecHost, ExecToolCall } from '../sandbox.ts';
import type { CallContext, Tool, ToolResult, ToolSpec } from '../tool.ts';
import type { CallJournal } from './call-journal.ts';
import { fetchContext } from './fetch-context.ts';

/** One call a program made, as its result lists it. `ms`: how long it took. */
export type CallDigest = {
  readonly id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly ms: number;
  /** It was begun, and nobody knows whether it took effect. */
  readonly doubt?: Exclude<ToolSpec['effects'], 'none'>;
};

export type HostParts = {
  readonly context: CallContext;
  readonly granted: readonly Tool[];
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly journal?: CallJournal | undefined;
};

/** What a program may be given: never the tools that steer the agent, never another program. */
export function grantable(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ spec }) => spec.kind === 'bundle' || spec.kind === 'platform');
}

/** Serves one program and remembers its calls. Each is performed like any call, under its own id and a key of its own. */
export function createExecHost(
  parts: HostParts,
): ExecHost & { readonly calls: readonly CallDigest[] } {
  const calls: CallDigest[] = [];
  const counts = new Map<string, number>();
  return {
    calls,
    fetchContext: (path) => fetchContext(path, parts.context.services),
    callTool: async (call, { signal }) => {
      const began = parts.clock.monotonic();
      const result = await callOnce(call, { ...parts, counts, signal });
      const ms = Math.round(parts.clock.monotonic() - began);
      const digest = { id: call.id, tool: call.tool, ok: result.ok, ms };
      calls.push({ ...digest, ...doubtOf(call, { result, granted: parts.granted }) });
      return result;
    },
  };
}

type Calling = HostParts & { readonly counts: Map<string, number>; readonly signal: AbortSignal };

async function callOnce(
  { id, tool: name, input }: ExecToolCall,
  calling: Calling,
): Promise<ToolResult> {
  const { context, granted, blobs, ids, journal, signal } = calling;
  const tool = granted.find(({ spec }) => spec.id === name);
  if (!tool)
    return no('tool_not_visible', `${name.slice(0, 100)} is not among the tools of this program.`);
  if (isSpent(tool, calling)) {
    return no(
      'denied',
      `${name} may be called ${tool.spec.callsPerTurn} times a turn and has been.`,
    );
  }
  const { code: _, stream: __, callTool: ___, ...rest } = context;
  const key = `${context.key}.${id}`;
  const intent = { program: context.call, id, tool: name, key, effects: tool.spec.effects };
  await journal?.intend(intent);
  const result = await performNested({
    tool,
    input,
    blobs,
    context: { ...rest, call: ids.next('tc'), key, signal },
  });
  journal?.settle(intent);
  return result;
}

/** A call that was cut off while it ran. */
function doubtOf(
  { tool: name }: ExecToolCall,
  { result, granted }: { result: ToolResult; granted: readonly Tool[] },
): Pick<CallDigest, 'doubt'> {
  const effects = granted.find(({ spec }) => spec.id === name)?.spec.effects ?? 'none';
  if (result.ok || effects === 'none') return {};
  return ['interrupted', 'timeout'].includes(result.error.code) ? { doubt: effects } : {};
}

/** Calls of the agent itself and of this program count together. */
function isSpent({ spec }: Tool, { context, counts }: Calling): boolean {
  const made = counts.get(spec.id) ?? 0;
  counts.set(spec.id, made + 1);
  if (spec.callsPerTurn === undefined) return false;
  const own = context.view.turns.findLast(({ id }) => id === context.turn);
  const before = (own?.rounds ?? [])
    .flatMap((round) => round.calls)
    .filter((call) => call.tool === spec.id);
  return before.length + made >= spec.callsPerTurn;
}

function no(code: string, message: string): ToolResult {
  return { ok: false, error: { code, message, retryable: false } };
}
