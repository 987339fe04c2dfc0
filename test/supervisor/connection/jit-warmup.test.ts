import { expect, test } from 'vitest';
import { warmUpJit } from '../../../supervisor/connection/jit-warmup.ts';

test('the JIT warm-up ends on its own', async () => {
  await expect(warmUpJit()).resolves.toBeUndefined();
});
