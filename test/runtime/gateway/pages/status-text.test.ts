import { expect, test } from 'vitest';
import type { StoryPart } from '../../../../runtime/client/index.ts';
import { activityOf } from '../../../../runtime/gateway/pages/chat/state/status-text.ts';

const approval = (outcome: string) => ({ kind: 'approval', key: 'a', outcome }) as StoryPart;
const added = { kind: 'message', key: 'm', text: 'And?' } as StoryPart;

test('a turn waits for its user as long as an approval is open, whatever was added since', () => {
  expect(activityOf([approval('')])).toBe('waiting for you');
  expect(activityOf([approval(''), added])).toBe('waiting for you');
  expect(activityOf([approval('allowed'), added])).toBe('working');
  expect(activityOf([])).toBe('working');
});
