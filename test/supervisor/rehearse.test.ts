import { expect, test } from 'vitest';
import { rehearse } from '../../supervisor/rehearse.ts';

test('a rehearsal comes to its end by itself', async () => {
  await expect(rehearse()).resolves.toBeUndefined();
});
