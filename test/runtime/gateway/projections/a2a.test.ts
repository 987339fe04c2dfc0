import { expect, test } from 'vitest';
import { a2a } from '../../../../runtime/gateway/projections/a2a/a2a.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const origin = 'http://desk.test';
const { open } = a2a({ rpcId: 1, version: '1.0', origin });
const older = a2a({ rpcId: 1, version: '0.3', origin });

// proves: endpoints.a2a
test('every turn of the corpus has its recorded events, in both versions', async () => {
  await expectGolden('a2a', open);
  await expectGolden('a2a-0.3', older.open);
});

// proves: endpoints.a2a
test.each(Object.keys(corpus))('%s: begins with the task and ends with its last status', (name) => {
  const results = framesOf(open, name).map(
    ({ data }) => (JSON.parse(data) as { result: Record<string, unknown> }).result,
  );
  expect(results[0]).toHaveProperty('task');
  expect(results.at(-1)).toHaveProperty('statusUpdate');
});
