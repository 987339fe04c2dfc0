import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../bundles/analyst/bundle.ts';
import { openRuntime } from '../../../runtime/testing/open-runtime.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';
import { libraries } from '../../../supervisor/cell/libraries.ts';

const dir = join(import.meta.dirname, '../../../bundles/analyst');
const tokensMax = 4_000;

// proves: engine.instruction
test('instruction, task, tools and skills of the demo are at most 4,000 tokens where every library is installed', async () => {
  await using runtime = await openRuntime({ bundle, dir, model: [{ answer: 'Warmer.' }] });
  const turn = await runtime.connect().conversation().send('Hello');
  await turn.done();
  const [system = ''] = (runtime.model.requests[0]?.text ?? '').split('\nTURN t');
  for (const part of ['react.memsearch', 'weather.profile', 'execute_code_python', 'sk:'])
    expect(system).toContain(part);
  // A server with a sandbox lists the libraries that programs can import.
  const served = `${system} It can import the standard library and ${libraries.join(', ')}.`;
  expect(countTokens(served)).toBeLessThanOrEqual(tokensMax);
});
