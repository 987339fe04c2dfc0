import { expect, test } from 'vitest';
import { warmUpJit } from '../../supervisor/rehearse.ts';

test('a rehearsal comes to its end by itself', async () => {
  await expect(warmUpJit()).resolves.toBeUndefined();
});
