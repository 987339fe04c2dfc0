import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { type Action, actionsOf, isCall } from '../../../../runtime/engine/plan/actions.ts';
import { agentDefaults, type Policies } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldArchive } from '../../../../runtime/timeline/fold/fold.ts';
import type { RoundView } from '../../../../runtime/timeline/view.ts';
import type { Chance } from './chance.ts';
import type { Run } from './random-tools.ts';

const tools = [
  ...['sim.read', 'sim.read', 'sim.keyed', 'sim.once', 'sim.note', 'sim.asked'],
  ...['sim.client', 'sim.nothing'],
] as const;

/** The policies of a story: every combination occurs. */
export function loopPolicies(seed: number): Policies {
  const failures = ['continue', 'escalate', 'fail'] as const;
  return {
    ...agentDefaults.policies,
    multiAction: seed % 4 === 0 ? 'first_only' : 'bundle',
    toolFailure: failures[seed % failures.length] ?? 'continue',
    externalTools: seed % 5 === 0 ? 'hand_off' : 'park',
    malformed: { repair: seed % 4 },
    steer: seed % 2 === 0 ? 'finalize' : 'redirect',
  };
}

/** More calls than may run, of every kind. */
export function bundleReply(chance: Chance): Reply {
  const count = 1 + chance.below(11);
  const calls = Array.from({ length: count }, () => ({
    tool: chance.one(tools),
    input: {},
    notes: 'Calling',
  }));
  return { thinking: 'All at once.', chunk: 10 + chance.below(60), call: calls };
}

export function policyFaults(
  blocks: readonly Block[],
  { runs, policies }: { runs: readonly Run[]; policies: Policies },
): readonly string[] {
  const { turns } = foldArchive(emptyView, blocks);
  const rounds = turns.flatMap((turn) => turn.rounds);
  return [
    ...rounds.flatMap((round) => roundFaults(round, policies)),
    ...rounds.flatMap(({ calls }) => calls).flatMap((call) => unstartedFaults(call, runs)),
    ...blocks.filter(({ type }) => type === 'turn.close').flatMap(closeFaults),
    ...blocks.filter(isEscalation).flatMap(({ seq }) => {
      return policies.toolFailure === 'escalate' ? [] : [`somebody was asked at ${seq}`];
    }),
  ];
}

/** Every call of a reply is recorded, in its order, and no more of them run than may. */
function roundFaults(round: RoundView, { multiAction }: Policies): readonly string[] {
  const close = round.blocks.findLast(({ type }) => type === 'round.close');
  if (!round.modelCall || dataOf(close)['outcome'] !== 'acted') return [];
  const asked = actionsOf(round.modelCall).filter(isCall).map(callOf);
  const made = round.calls.map(({ call }) => call);
  const most = multiAction === 'bundle' ? 8 : 1;
  const executed = round.calls.filter(({ result }) => codeOf(result) !== 'not_executed');
  const at = `round at ${round.openSeq}`;
  return [
    ...(asked.join() === made.join() ? [] : [`${at} has the calls ${made} for ${asked}`]),
    ...(executed.length <= most ? [] : [`${at} executed ${executed.length} calls`]),
  ];
}

function callOf({ call }: Action): string {
  return call;
}

/** A call that was declined, stopped before its start or handed off has had no effect here. */
function unstartedFaults(
  { call, tool, result }: RoundView['calls'][number],
  runs: readonly Run[],
): readonly string[] {
  const isUnstarted = ['not_executed', 'handed_off'].includes(codeOf(result));
  const hasRun = runs.some((run) => run.call === call);
  return isUnstarted && hasRun ? [`${tool} ${call} ran and says ${codeOf(result)}`] : [];
}

/** A turn that ends without an answer says what it did. */
function closeFaults(close: Block): readonly string[] {
  const { seq } = close;
  const { reason, text, calls } = dataOf(close);
  const isSilent = (reason === 'exhausted' || reason === 'handed_off') && text === '';
  const isEmpty = (reason === 'handed_off') !== Array.isArray(calls);
  return [
    ...(isSilent ? [`the turn that closes at ${seq} says nothing`] : []),
    ...(isEmpty ? [`${String(reason)} at ${seq} does not fit its calls`] : []),
  ];
}

export function isEscalation(block: Pick<Block, 'type' | 'data'>): boolean {
  return block.type === 'approval.request' && dataOf(block)['kind'] === 'tool_failure';
}

export function codeOf(result: Pick<Block, 'data'> | undefined): string {
  const { error } = dataOf(result);
  return isJsonObject(error) ? String(error['code']) : '';
}

function dataOf(block: Pick<Block, 'data'> | undefined): JsonObject {
  return isJsonObject(block?.data) ? block.data : {};
}
