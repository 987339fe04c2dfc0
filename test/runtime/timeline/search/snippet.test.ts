import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import {
  isRecovery,
  toIndexedText,
  toSnippet,
} from '../../../../runtime/timeline/search/snippet.ts';

const draft: Draft = {
  type: 'user.prompt',
  turn: toTurnId('t'),
  author: 'user',
  path: toBlockPath('ar:x'),
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
  expect(toSnippet({ ...draft, type })).toEqual({ target, heading: '', text: 'hi' });
});

test('thinking, calls, results and blocks without a path or text are not searchable', () => {
  for (const type of [
    'external.recall',
    'react.thinking',
    'react.tool.result',
    'turn.close',
    'canvas',
  ]) {
    expect(toSnippet({ ...draft, type })).toBeUndefined();
  }
  const { path: _, ...pathless } = draft;
  expect(toSnippet(pathless)).toBeUndefined();
  expect(toSnippet({ ...draft, text: ' \0' })).toBeUndefined();
});

test('an attachment is found by its name, and the indexed text is bounded', () => {
  const attachment: Draft = { ...draft, type: 'user.attachment', data: { filename: 'rain.csv' } };
  expect(toSnippet(attachment)).toMatchObject({ heading: 'rain.csv', text: 'rain.csv\n hi' });
  expect(toSnippet({ ...draft, text: 'x'.repeat(20_000) })?.text).toHaveLength(8_000);
});

test('the index keeps the anchors of a summary separate from its text', () => {
  const anchors = { phrases: ['cold start'], entities: ['Ada', 7] };
  const summary = {
    ...draft,
    type: 'conv.working.summary',
    text: 'Goal:\u001f x',
    data: { anchors },
  };
  const snippet = toSnippet(summary);
  expect(snippet).toMatchObject({ heading: 'cold start, Ada', text: 'Goal:  x' });
  expect(snippet && toIndexedText(snippet)).toBe('cold start, Ada\u001fGoal:  x');
  expect(toSnippet({ ...summary, data: { anchors: 'x' } })?.heading).toBe('');
});

test('a turn that only searched and read is distinguished from one that worked', () => {
  expect(isRecovery(['react.memsearch', 'react.read'])).toBe(true);
  expect(isRecovery(['react.read'])).toBe(false);
  expect(isRecovery(['react.memsearch', 'metrics.query'])).toBe(false);
});
