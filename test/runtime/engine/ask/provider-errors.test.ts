import { expect, test } from 'vitest';
import { Fault } from '../../../../runtime/base/fault.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import { openHarness } from '../kit/harness.ts';

function refusing(model: Model): Model {
  return {
    ...model,
    stream: () => {
      throw new Fault('MODEL_REFUSED', { because: '401 invalid x-api-key' });
    },
  };
}

async function endOf(showsProviderErrors: boolean) {
  await using harness = await openHarness([], { through: refusing, showsProviderErrors });
  await harness.say('hello');
  const blocks = await harness.closed();
  return { end: blocks.at(-1)?.data, all: JSON.stringify(blocks) };
}

// proves: models.provider-errors
test("a developer reads the provider's own text in the error of the turn", async () => {
  expect((await endOf(true)).end).toMatchObject({
    reason: 'failed',
    error: {
      code: 'MODEL_REFUSED',
      message: expect.stringContaining('401 invalid x-api-key') as unknown,
    },
  });
});

// proves: models.provider-errors
test('a user reads what happened, and nothing of the provider', async () => {
  const { end, all } = await endOf(false);
  expect(end).toMatchObject({ reason: 'failed', error: { code: 'MODEL_REFUSED' } });
  expect(all).not.toContain('x-api-key');
});
