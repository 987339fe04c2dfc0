import { expect, test } from 'vitest';
import { findJson } from '../../../../runtime/channels/json/find-json.ts';

const first = (text: string) => [...findJson(text)][0];

test.each([
  ['the whole text', '{"n":7}', { n: 7 }],
  ['a bare number', ' 7 ', 7],
  ['a list', '[1, 2]', [1, 2]],
  ['a code fence within prose', 'Here it is:\n```json\n{"n":7}\n```\nDone.', { n: 7 }],
  ['an object within prose', 'Here {as you wished}: {"n":7} is it.', { n: 7 }],
  ['an object with a trailing comma', '{"n":7,}', { n: 7 }],
  ['an object after a scratchpad with a draft', '<think>{"n":1}</think>{"n":7}', { n: 7 }],
  [
    'an object with comments',
    '{"n":7 // seven\n, /* and */ "u":"http://x"}',
    { n: 7, u: 'http://x' },
  ],
  ['an object with an escape that JSON does not have', '{"t":"\\(x\\)"}', { t: '\\(x\\)' }],
  ['nothing', 'seven', undefined],
])('JSON is found as %s', (_, text, value) => {
  expect(first(text)).toEqual(value);
});

test('an answer after an example is also found', () => {
  expect([...findJson('For example {"x":1}\n\n{"n":7}')]).toContainEqual({ n: 7 });
});
