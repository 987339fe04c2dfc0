import { expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { toSnippet } from '../../../runtime/timeline/snippet.ts';

const draft: Draft = {
  type: 'user.prompt',
  turn: 't',
  author: 'user',
  path: 'ar:x',
  text: ' hi\0 ',
};

test.each([
  ['user.prompt', 'user'],
  ['external.followup', 'user'],
  ['user.attachment', 'attachment'],
  ['assistant.completion', 'assistant'],
  ['conv.working.summary', 'summary'],
  ['react.note', 'notes'],
])('%s is found among %s', (type, target) => {
  expect(toSnippet({ ...draft, type })).toEqual({ target, text: 'hi' });
});

test('thinking, calls and results are not found again, nor what has no path or words', () => {
  for (const type of ['react.thinking', 'react.tool.result', 'turn.close', 'canvas']) {
    expect(toSnippet({ ...draft, type })).toBeUndefined();
  }
  const { path: _, ...pathless } = draft;
  expect(toSnippet(pathless)).toBeUndefined();
  expect(toSnippet({ ...draft, text: ' \0' })).toBeUndefined();
});

test('an attachment is found by its name, and what is indexed is bounded', () => {
  const attachment: Draft = { ...draft, type: 'user.attachment', data: { filename: 'rain.csv' } };
  expect(toSnippet(attachment)?.text).toBe('rain.csv\n hi');
  expect(toSnippet({ ...draft, text: 'x'.repeat(20_000) })?.text).toHaveLength(8_000);
});
