import type { Clock } from '../../../base/clock.ts';
import { toCallId } from '../../../timeline/ids.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';
import type { ExecHost, ExecToolCall } from '../../ports/sandbox.ts';
import type { Tool, ToolResult } from '../../ports/tool.ts';
import { exhausted } from '../../ports/turn-budget.ts';
import { isOutcomeUnknown } from '../../results/in-doubt.ts';
import { cutText } from '../../text/cut-text.ts';
import { hiddenText } from '../../visibility/hidden-tool.ts';
import { didYouMean } from '../../visibility/nearest-tools.ts';
import { inputShownChars, journalInputCharsMax } from '../limits.ts';
import { fetchContext } from './fetch-context.ts';
import { findFile } from './find-file.ts';
import { admitKeyedCall, type NestedCallParts, runKeyedCall } from './nested-call.ts';

/** One call of a program, as the result of the program lists it. `ms`: its duration. */
export type CallDigest = {
  readonly id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly ms: number;
};

type HostParts = Omit<NestedCallParts, 'signal'> & { readonly clock: Clock };

export interface ProgramHost extends ExecHost {
  /** All calls that have ended, in order of their ends. */
  readonly digests: readonly CallDigest[];
  /** Calls with effects that have begun, in that order. */
  readonly begun: readonly ProgramCall[];
  /** How often this program called each tool that has a limit of calls per turn. */
  readonly counted: ReadonlyMap<string, number>;
}

/** The tools that programs may call: never control tools, never another program. */
export function grantable(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ spec }) => spec.kind === 'bundle' || spec.kind === 'platform');
}

/** Serves one program and records its calls. Each runs like any other call, under its own id and key. */
export function createExecHost(parts: HostParts): ProgramHost {
  const digests: CallDigest[] = [];
  const begun = new Map<string, ProgramCall>();
  const counted = new Map<string, number>();
  const counts = parts.context.programCalls ?? new Map<string, number>();
  return {
    digests,
    counted,
    get begun() {
      return [...begun.values()];
    },
    fetchContext: (path) => fetchContext(path, parts.context.services),
    findFile: (path) => findFile(path, parts.context.services),
    callTool: async (call, { signal }) => {
      const start = parts.clock.monotonic();
      const result = await callOnce(call, { ...parts, counts, counted, begun, signal });
      const ms = Math.round(parts.clock.monotonic() - start);
      digests.push({ id: call.id, tool: call.tool, ok: result.ok, ms });
      return result;
    },
  };
}

type CallState = NestedCallParts & {
  /** Counts of the turn, and of this program. */
  readonly counts: Map<string, number>;
  readonly counted: Map<string, number>;
  readonly begun: Map<string, ProgramCall>;
};

async function callOnce(asked: ExecToolCall, calling: CallState): Promise<ToolResult> {
  const { tool: name } = asked;
  const tool = calling.granted.find(({ spec }) => spec.id === name);
  if (!tool) return refusedResult('tool_not_visible', notGranted(name, calling));
  if (calling.context.budget?.isSpent) {
    const { code, message } = exhausted('programs cannot call further tools.');
    return refusedResult(code, message);
  }
  if (exceedsQuota(tool, calling)) {
    return refusedResult(
      'denied',
      `${name} has reached its limit of ${tool.spec.callsPerTurn} calls per turn.`,
    );
  }
  const key = `${calling.context.key}.${asked.id}`;
  const call = {
    id: asked.id,
    tool,
    input: asked.input,
    key,
    call: toCallId(calling.ids.next('tc')),
  };
  const admission = await admitKeyedCall(call, calling);
  if (admission?.ok === false) return { ok: false, error: admission.error };
  const admitted = admission ? { ...call, input: admission.input, admitted: true as const } : call;
  const { effects, callsPerTurn } = tool.spec;
  // Record the admitted input: a worker that repeats the call does not run the hooks again.
  const kept = toProgramCall({ ...asked, input: admitted.input }, { key, effects });
  const perform = () => runKeyedCall(admitted, calling);
  if (effects !== 'none') return withIntent(kept, calling, perform);
  // A worker that takes over the turn counts it.
  if (callsPerTurn !== undefined) await calling.context.journal?.begin(kept);
  return perform();
}

/** A hidden tool comes with the way to bring it into view, any other name with the nearest tools. */
function notGranted(name: string, { context: { toolset }, granted }: CallState): string {
  if (toolset?.hidden.some(({ spec }) => spec.id === name)) return hiddenText(name, toolset);
  const shown = name.slice(0, 100);
  const near = didYouMean(
    shown,
    granted.map(({ spec }) => spec.id),
  );
  return `${shown} is not among the tools of this program.${near}`;
}

/** The intent is recorded before the effect begins, the outcome as soon as it is known. */
async function withIntent(
  call: ProgramCall,
  { context: { journal }, begun, signal }: CallState,
  perform: () => Promise<ToolResult>,
): Promise<ToolResult> {
  await journal?.begin(call);
  const end = (outcome: string) => {
    begun.set(call.id, { ...withShortInput(call), outcome });
    journal?.end(call.id, outcome);
  };
  if (signal.aborted) {
    end('interrupted');
    return refusedResult('interrupted', 'Stopped before it began.');
  }
  begun.set(call.id, call);
  const result = await perform();
  if (!isOutcomeUnknown(result)) end(result.ok ? 'ok' : result.error.code);
  return result;
}

/** A call with a known outcome is never repeated, so only the part of its input that people are shown is kept, as a copy that does not retain the whole string. */
function withShortInput({ input, ...call }: ProgramCall): ProgramCall {
  if (input === undefined) return call;
  const shown = Buffer.from(cutText(input, inputShownChars + 2)).toString();
  return { ...call, input: shown };
}

function toProgramCall(
  { id, tool, input }: ExecToolCall,
  { key, effects }: Pick<ProgramCall, 'key' | 'effects'>,
): ProgramCall {
  const json = JSON.stringify(input);
  const kept = json.length <= journalInputCharsMax ? { input: json } : {};
  return { id, tool, key, effects, ...kept };
}

/** Calls of the agent itself and of the programs of its turn are counted together. */
function exceedsQuota({ spec }: Tool, { context, counts, counted }: CallState): boolean {
  const { id: tool, callsPerTurn } = spec;
  if (callsPerTurn === undefined) return false;
  const own = context.view.turns.findLast(({ id }) => id === context.turn);
  const agents = (own?.rounds ?? [])
    .flatMap((round) => round.calls)
    .filter((call) => call.tool === tool);
  if (agents.length + (counts.get(tool) ?? 0) >= callsPerTurn) return true;
  for (const each of [counts, counted]) each.set(tool, (each.get(tool) ?? 0) + 1);
  return false;
}

function refusedResult(code: string, message: string): ToolResult {
  return { ok: false, error: { code, message, retryable: false } };
}
