import type { Clock } from '../../../base/clock.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';
import type { ExecHost, ExecToolCall } from '../../ports/sandbox.ts';
import type { Tool, ToolResult } from '../../ports/tool.ts';
import { exhausted } from '../../ports/turn-budget.ts';
import { isOutcomeUnknown } from '../../results/in-doubt.ts';
import { cutText } from '../../text/cut-text.ts';
import { inputShownChars, journalInputCharsMax } from '../limits.ts';
import { fetchContext } from './fetch-context.ts';
import { findFile } from './find-file.ts';
import { admitKeyedCall, type NestedCallParts, runKeyedCall } from './nested-call.ts';

/** One call a program made, as its result lists it. `ms`: how long it took. */
export type CallDigest = {
  readonly id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly ms: number;
};

export type HostParts = Omit<NestedCallParts, 'signal'> & { readonly clock: Clock };

export interface ProgramHost extends ExecHost {
  /** All that have ended, in that order. */
  readonly digests: readonly CallDigest[];
  /** Those with effects that have begun, in that order. */
  readonly begun: readonly ProgramCall[];
  /** Those of tools of which a turn has only so many calls. */
  readonly counted: ReadonlyMap<string, number>;
}

/** What a program may be given: never the tools that steer the agent, never another program. */
export function grantable(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ spec }) => spec.kind === 'bundle' || spec.kind === 'platform');
}

/** Serves one program and remembers its calls. Each is performed like any call, under its own id and a key of its own. */
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
  /** Of the turn, and of this program. */
  readonly counts: Map<string, number>;
  readonly counted: Map<string, number>;
  readonly begun: Map<string, ProgramCall>;
};

async function callOnce(asked: ExecToolCall, calling: CallState): Promise<ToolResult> {
  const { tool: name } = asked;
  const tool = calling.granted.find(({ spec }) => spec.id === name);
  if (!tool)
    return refusedResult(
      'tool_not_visible',
      `${name.slice(0, 100)} is not among the tools of this program.`,
    );
  if (calling.context.budget?.exceedsQuota) {
    const { code, message } = exhausted('programs call no tool any more.');
    return refusedResult(code, message);
  }
  if (isSpent(tool, calling)) {
    return refusedResult(
      'denied',
      `${name} may be called ${tool.spec.callsPerTurn} times a turn and has been.`,
    );
  }
  const key = `${calling.context.key}.${asked.id}`;
  const call = { id: asked.id, tool, input: asked.input, key, call: calling.ids.next('tc') };
  const admission = await admitKeyedCall(call, calling);
  if (admission?.ok === false) return { ok: false, error: admission.error };
  const admitted = admission ? { ...call, input: admission.input, admitted: true as const } : call;
  const { effects, callsPerTurn } = tool.spec;
  // As it will be performed: whoever makes it again has nobody to ask.
  const kept = toProgramCall({ ...asked, input: admitted.input }, { key, effects });
  const perform = () => runKeyedCall(admitted, calling);
  if (effects !== 'none') return withIntent(kept, calling, perform);
  // Whoever takes the turn over counts it.
  if (callsPerTurn !== undefined) await calling.context.journal?.begin(kept);
  return perform();
}

/** The intent is kept before the effect begins, the outcome as soon as it is known. */
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

/** A call whose outcome is known is not made again: of its input only what people are told is kept, and nothing of its text. */
function withShortInput({ input, ...call }: ProgramCall): ProgramCall {
  if (input === undefined) return call;
  const told = Buffer.from(cutText(input, inputShownChars + 2)).toString();
  return { ...call, input: told };
}

function toProgramCall(
  { id, tool, input }: ExecToolCall,
  { key, effects }: Pick<ProgramCall, 'key' | 'effects'>,
): ProgramCall {
  const json = JSON.stringify(input);
  const kept = json.length <= journalInputCharsMax ? { input: json } : {};
  return { id, tool, key, effects, ...kept };
}

/** Calls of the agent itself and of the programs of its turn count together. */
function isSpent({ spec }: Tool, { context, counts, counted }: CallState): boolean {
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
