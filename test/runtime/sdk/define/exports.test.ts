import { expect, test } from 'vitest';
import * as sdk from '../../../../runtime/sdk/index.ts';
import * as testing from '../../../../runtime/testing/index.ts';

// proves: sdk.spelling

test('the SDK exports exactly these names', () => {
  expect(Object.keys(sdk).toSorted()).toEqual([
    ...['Fault', 'Refusal', 'ask', 'deferred', 'defineAgent', 'defineBundle', 'defineEvent'],
    ...['defineHook', 'defineJob', 'defineKnowledge', 'defineOperation', 'defineProps'],
    ...['defineResource', 'defineSecret', 'defineSkill', 'defineTool', 'defineWidget'],
    ...['delegate', 'dispatch', 'external', 'refuse', 'sandbox', 'starters'],
  ]);
  expect(Object.keys(testing).toSorted()).toEqual(['manualClock', 'openRuntime', 'outline']);
});

test('definitions are frozen', () => {
  const secret = sdk.defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
  expect(Object.isFrozen(secret)).toBe(true);
  expect(secret).toMatchObject({ definition: 'secret', id: 'KEY' });
});
