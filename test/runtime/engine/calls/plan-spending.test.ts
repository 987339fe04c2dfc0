import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createSpending } from '../../../../runtime/engine/spending/create-spending.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { isClock, manualClock } from '../../../../runtime/testing/clock.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { createRunPlanTool } from '../../../../runtime/tools/react/run-plan/run-plan.ts';
import { agentWith, openHarness } from '../kit/harness.ts';

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

const ann = { tenant: 'dev', project: 'dev', user: 'ann' };
const used = { usage: { input_tokens: 200_000, output_tokens: 0 } };

/** A user with a limit, and an agent that plans. */
async function open() {
  const clock = manualClock();
  if (!isClock(clock)) throw new Error('a manual clock is a clock');
  const storage = createMemoryStorage(() => clock.now());
  const extend = { tokens: 500_000, times: 1 };
  const limit = { of: 'user', per: 'day', tokens: 200_000, extend } as const;
  const spending = createSpending([limit], { storage, clock, log: silentLog, process: 'one' });
  const tools = [...controlTools, createRunPlanTool({ agents: ['helper'] })];
  const delegation = { ...agentDefaults.delegation, plans: true, verify: false };
  const steps = [{ id: 'one', task: 'Do it', agent: 'helper' }];
  const plan = { hold: 'planned', call: { tool: 'react.run_plan', input: { steps } } };
  const harness = await openHarness([plan, { answer: 'Helped.' }, { answer: 'Done.' }], {
    ...{ spending, clock },
    ...{ agent: { tools, delegation }, others: [agentWith({ id: 'helper' })] },
  });
  return { harness, spending };
}

// proves: spending.question, delegate.approvals
test('a spending question of an agent that works on a step is asked in the conversation of its caller', async () => {
  const { harness: opened, spending } = await open();
  await using harness = opened;
  await harness.say('Go');
  await harness.model.held('planned');
  await spending.charge(ann, used);
  harness.model.release('planned');
  const isRequest = ({ type }: Block) => type === 'approval.request';
  const seen = await harness.until((all) => all.some(isRequest));
  const asked = seen.find(isRequest);
  expect(dataOf(asked)).toMatchObject({
    ...{ kind: 'agent', agent: 'helper' },
    title: 'Extend the spending limit by 500,000 tokens?',
  });
  expect(harness.model.requests).toHaveLength(1);
  const request = String(dataOf(asked)['request']);
  const path = paths.approval(turnToChoose, 'decision', request);
  await harness.write({ type: 'approval.decision', path, data: { request, allow: true } });
  const blocks = await harness.closed();
  expect(dataOf(blocks.find(({ type }) => type === 'approval.close'))).toMatchObject({
    outcome: 'allowed',
  });
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(harness.model.requests).toHaveLength(3);
  expect(verify(blocks)).toEqual([]);
});
