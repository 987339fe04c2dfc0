import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fargatePlaces, longest } from '../tools/spread.ts';

test('test files that are run in an order of their own exist', () => {
  const missing = [...fargatePlaces, ...longest].filter(
    (name) => !existsSync(join(import.meta.dirname, '..', `${name}.test.ts`)),
  );
  expect(missing).toEqual([]);
});
