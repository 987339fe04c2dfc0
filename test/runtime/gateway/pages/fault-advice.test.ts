import { expect, test } from 'vitest';
import { faults } from '../../../../runtime/base/faults.ts';
import { adviceFor } from '../../../../runtime/gateway/pages/chat/rare/fault-advice.ts';

// proves: page.fault-advice
test('the page has advice for each fault, and names the code of an unknown one', () => {
  const codes = [...Object.keys(faults), 'INTERNAL', 'TOOL_FAILED', 'TURN_ABANDONED'];
  const advice = codes.map(adviceFor);
  expect(advice.filter((text) => !/^[A-Z].*\w\)?\.$/.test(text))).toEqual([]);
  expect(adviceFor('SOMETHING_NEW')).toContain('SOMETHING_NEW');
});
