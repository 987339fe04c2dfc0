import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { createRunPlanTool } from '../../../../runtime/tools/react/run-plan/run-plan.ts';
import type { Chance } from './chance.ts';

/** Every combination of settings occurs. */
export function planSettings(seed: number, isOn: boolean): Partial<AgentSettings> {
  if (!isOn) return {};
  const delegation = {
    ...agentDefaults.delegation,
    plans: true,
    depth: 1 + (seed % 2),
    sideBySide: 1 + (seed % 3),
    stepMs: seed % 4 === 0 ? 20_000 : 120_000,
    verify: seed % 2 === 0,
  };
  return { delegation };
}

export function planTools(isOn: boolean): readonly Tool[] {
  return isOn ? [createRunPlanTool({ agents: ['main'] })] : [];
}

/** Undefined: the model does something else. */
export function plannedReply(
  role: ModelRequest['role'],
  chance: Chance,
  isOn: boolean,
): Reply | undefined {
  if (!isOn) return undefined;
  if (role === 'small') return verdictReply(chance);
  return role === 'decision' && chance.happens(0.3) ? planReply(chance) : undefined;
}

/** Steps that need earlier ones; sometimes a plan that is refused. */
function planReply(chance: Chance): Reply {
  const count = 1 + chance.below(5);
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    task: `Do part ${index}`,
    needs: Array.from({ length: index }, (__, earlier) => `s${earlier}`).filter(() =>
      chance.happens(0.4),
    ),
  }));
  const [first] = steps;
  if (first && chance.happens(0.1)) first.needs.push(`s${count - 1}`);
  const input: JsonObject = { steps };
  return { call: { tool: 'react.run_plan', input, notes: 'Handing out' }, chunk: 40 };
}

function verdictReply(chance: Chance): Reply {
  const role = 'small';
  if (chance.happens(0.2)) return { role, fault: { code: 'MODEL_OVERLOADED' } };
  if (chance.happens(0.2)) return { role, raw: 'It looks fine.' };
  const achieved = chance.happens(0.6);
  return { role, output: { achieved, missing: achieved ? '' : 'A part.' } };
}

/** The conversations of the agents that work for this one. */
export function childrenIn(blocks: readonly Block[]): readonly string[] {
  return blocks.filter(isStart).map((block) => String(dataOf(block)['conversation']));
}

/** Follows a log without the code under test. `logs`: of all conversations, by name. */
export function planFaults(
  blocks: readonly Block[],
  logs: ReadonlyMap<string, readonly Block[]>,
): readonly string[] {
  return blocks
    .filter(({ type }) => type === 'agent.plan')
    .flatMap((plan) => {
      const own = blocks.filter(({ call }) => call === plan.call);
      const steps = dataOf(plan)['steps'];
      const list = Array.isArray(steps) ? steps.filter(isJsonObject) : [];
      return list.flatMap((step) => stepFaults(step, own, logs));
    });
}

function stepFaults(
  { id, needs }: JsonObject,
  blocks: readonly Block[],
  logs: ReadonlyMap<string, readonly Block[]>,
): readonly string[] {
  const of = (type: string, step: unknown) =>
    blocks.filter((block) => block.type === type && dataOf(block)['step'] === step);
  const [starts, ends] = [of('agent.call', id), of('agent.result', id)];
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  const name = `step ${String(id)} of ${blocks[0]?.call}`;
  const [start] = starts;
  const child = logs.get(String(dataOf(start)['conversation'])) ?? [];
  const isEarly = (need: unknown) => {
    const [end] = of('agent.result', need);
    return !end || end.seq > (start?.seq ?? 0) || dataOf(end)['ok'] !== true;
  };
  const early = start && Array.isArray(needs) ? needs.filter(isEarly) : [];
  return [
    ...(starts.length > 1 ? [`${name} started ${starts.length} times`] : []),
    ...(ends.length > 1 ? [`${name} ended ${ends.length} times`] : []),
    ...(dataOf(result)['ok'] === true && ends.length === 0 ? [`${name} has no end`] : []),
    ...early.map((need) => `${name} started before ${String(need)} had ended well`),
    ...childFaults(name, child, ends[0]),
  ];
}

/** One turn, and the step ended well exactly if the turn has an answer that came in time. */
function childFaults(name: string, child: readonly Block[], end: Block | undefined) {
  const turns = child.filter(({ type }) => type === 'turn.open').length;
  const close = dataOf(child.find(({ type }) => type === 'turn.close'));
  const isAnswered = ['completed', 'exhausted'].includes(String(close['reason']));
  const isOk = dataOf(end)['ok'] === true;
  return [
    ...(turns > 1 ? [`${name} has ${turns} turns`] : []),
    ...(isOk && !isAnswered ? [`${name} ended well without an answer`] : []),
  ];
}

function isStart({ type }: Block): boolean {
  return type === 'agent.call';
}

function dataOf(block: Block | undefined): JsonObject {
  return isJsonObject(block?.data) ? block.data : {};
}
