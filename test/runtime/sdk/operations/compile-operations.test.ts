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
test('an invalid operation stops the load with a reason', async () => {
  const wrong: readonly [readonly Operation[], RegExp][] = [
    [[written({ access: 'public' })], /“x” is public and must say how it verifies its caller/],
    [[written({ verify: () => true })], /“x” has a verify, which only a public operation can have/],
    [[written({ method: 'PUT' })], /“x”: method must be GET or POST/],
    [[written({ timeoutMs: 300_001 })], /“x”: timeoutMs must be between 1 and 300000/],
    [
      [written({ timeout: 1 })],
      /operation “x” has an unknown key “timeout”; did you mean timeoutMs/,
    ],
    [[written({}), written({})], /duplicate operation “x”/],
    [[written({ id: 'Not Kebab' })], /operation “Not Kebab” is not kebab-case/],
    [[{ id: 'y' }], /an operation was not made by defineOperation/],
  ];
  for (const [operations, problem] of wrong) {
    await expect(compile(bundleWith([], { operations }))).rejects.toThrow(problem);
  }
});
