import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation, type Operation } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../kit.ts';

const plain = { id: 'x', input: z.object({}), run: () => 1 };
/** As JavaScript may write it. */
function written(more: object): Operation {
  return Object.freeze({ ...defineOperation(plain), ...more });
}

// proves: operations.load
test('an operation that could not be kept stops the load, and says why', async () => {
  const wrong: readonly [readonly Operation[], RegExp][] = [
    [[written({ access: 'public' })], /“x” is public and must say how it verifies its caller/],
    [[written({ verify: () => true })], /“x” has a verify, which only a public one is asked with/],
    [[written({ method: 'PUT' })], /“x” is GET or POST/],
    [[written({ timeoutMs: 300_001 })], /“x”: timeoutMs is 1 to 300000/],
    [[written({ timeout: 1 })], /operation “x” has no “timeout”, but timeoutMs/],
    [[written({}), written({})], /operation “x” is there twice/],
    [[written({ id: 'Not Kebab' })], /operation “Not Kebab” is not kebab-case/],
    [[{ id: 'y' }], /an operation was not made by defineOperation/],
  ];
  for (const [operations, problem] of wrong) {
    await expect(compile(bundleWith([], { operations }))).rejects.toThrow(problem);
  }
});
