import { expect, test } from 'vitest';
import { defineAgent, defineBundle, starters } from '../../../../runtime/sdk/index.ts';
import { compile } from '../kit.ts';

async function settingsOf(name: keyof typeof starters) {
  const agent = defineAgent({ ...starters[name], id: 'main', instruction: 'x' });
  const { agents } = await compile(defineBundle({ id: 'acme', version: '1', agents: [agent] }));
  return agents[0];
}

// proves: starters.numbers
test('the starters have the numbers and policies that they are named after', async () => {
  expect(await settingsOf('graph')).toMatchObject({
    budgets: { rounds: 12 },
    policies: { malformed: 'fail', toolFailure: 'fail' },
  });
  expect(await settingsOf('engine')).toMatchObject({
    budgets: { rounds: 256 },
    policies: { multiAction: 'first_only', externalTools: 'hand_off' },
  });
  expect(await settingsOf('agentscope')).toMatchObject({
    budgets: { rounds: 10 },
    policies: { exhausted: 'finalize' },
  });
  expect(await settingsOf('small')).toMatchObject({
    budgets: { actionsPerRound: 1 },
    policies: { multiAction: 'off' },
    context: { maxTokens: 8_000 },
  });
  expect(await settingsOf('fim')).toMatchObject({
    budgets: { rounds: 50 },
    answer: 'synthesize',
    policies: { exhausted: 'close' },
  });
});
