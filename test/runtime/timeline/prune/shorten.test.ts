import { expect, test } from 'vitest';
import { shorten } from '../../../../runtime/timeline/prune/shorten.ts';

const path = 'tc:t1.c1.result';
const shortened = (value: object) =>
  shorten({ text: 'x '.repeat(5_000), value: value as never, path });

// proves: timeline.prune-light
test('of a shortened result texts keep 400 characters, lists 50 items and objects 80 keys', () => {
  const [text] = shortened({ text: 'word '.repeat(1_000) }).split('\n');
  expect((JSON.parse(text ?? '') as { text: string }).text.length).toBeLessThanOrEqual(400);
  const [list] = shortened({ rows: Array.from({ length: 90 }, () => 1) }).split('\n');
  expect((JSON.parse(list ?? '') as { rows: number[] }).rows).toHaveLength(50);
  const keys = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, 1]));
  expect(shortened(keys)).not.toContain('"k80"');
  expect(shortened(keys)).toContain(`(pruned; react.read ${path} for the whole)`);
});
