import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../bundles/analyst/bundle.ts';
import { openRuntime } from '../../../runtime/testing/open-runtime.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';

const dir = join(import.meta.dirname, '../../../bundles/analyst');
const tokensMax = 4_000;

// proves: engine.instruction
test('instruction, task, tools and skills of the demo are at most 4,000 tokens', async () => {
  await using runtime = await openRuntime({ bundle, dir, model: [{ answer: 'Warmer.' }] });
  const turn = await runtime.connect().conversation().send('Hello');
  await turn.done();
  const [system = ''] = (runtime.model.requests[0]?.text ?? '').split('\nTURN t');
  for (const part of ['react.memsearch', 'weather.profile', 'sk:']) expect(system).toContain(part);
  expect(countTokens(system)).toBeLessThanOrEqual(tokensMax);
});
