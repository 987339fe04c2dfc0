import { expect, test } from 'vitest';
import { warmUpJit } from '../../../supervisor/connection/jit-warmup.ts';

test('a rehearsal comes to its end by itself', async () => {
  await expect(warmUpJit()).resolves.toBeUndefined();
});
