import { expect } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import { agentDefaults, type Policies } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openHarness } from './harness.ts';

export const add = { call: { tool: 'math.add', input: { a: 1, b: 1 } } };
export const plan = { call: { tool: 'react.plan', input: { mode: 'new', steps: ['look'] } } };
export const close = { call: { tool: 'react.plan', input: { mode: 'close' } } };
export const prose = { raw: 'It is 2, as far as I can see.' };
const wallMs = 60_000;

function countingTools() {
  const runs: number[] = [];
  const counting = createTool({
    id: 'math.add',
    description: 'Adds two numbers.',
    kind: 'bundle',
    traits: ['exploration'],
    input: z.object({ a: z.number(), b: z.number() }),
    run: async ({ a, b }) => {
      runs.push(a + b);
      return { result: { ok: true, ret: a + b } };
    },
  });
  return { runs, tools: [counting, ...controlTools] };
}

type Setting = {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly policies?: Partial<Policies>;
  readonly tools?: 'without plan';
};

/** A turn of an agent with one ordinary tool and the control tools. */
export function open(
  script: readonly Reply[],
  { rounds = 15, policies, tools: kind, ...budget }: Setting = {},
) {
  const { runs, tools: all } = countingTools();
  const tools = kind ? all.filter(({ spec }) => spec.id !== 'react.plan') : all;
  const agent = {
    budgets: { rounds, wallMs, actionsPerRound: 2, ...budget },
    policies: { ...agentDefaults.policies, ...policies },
  };
  const limits: number[] = [];
  const through = (model: Model): Model => ({
    ...{ id: model.id, contextTokens: model.contextTokens },
    costUsd: (usage) => model.costUsd(usage),
    stream: (request, options) => {
      limits.push(request.maxOutputTokens);
      return model.stream(request, options);
    },
  });
  return { runs, limits, harness: openHarness(script, { agent, tools, through }) };
}

/** Steered while the model is generating; the rest of the script follows. */
export async function steered(rest: readonly Reply[], setting: Setting = {}) {
  const hold = { thinking: 'Hm', hold: 'planning' };
  const { runs, limits, harness: opening } = open([hold, ...rest], setting);
  await using harness = await opening;
  await harness.say('Review the year');
  await harness.model.held('planning');
  await harness.say('only the last hour', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(verify(blocks)).toEqual([]);
  const { requests } = harness.model;
  return { runs, limits, requests, blocks, end: dataOf(blocks.at(-1)) };
}

export function errorsOf(blocks: readonly Block[]) {
  return blocks.flatMap(({ type, data }) => {
    const error = type === 'react.tool.result' && isJsonObject(data) ? data['error'] : undefined;
    return isJsonObject(error) ? [error['code']] : [];
  });
}

export function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
