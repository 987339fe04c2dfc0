import { expect, test } from 'vitest';
import { countTokens, imageTokens } from '../../../runtime/timeline/tokens.ts';

test('tokens are counted by o200k_base', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('hello world')).toBe(2);
});

test('control tokens of a model count as plain text', () => {
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
});

test('a long text without breaks does not stall the counter', () => {
  const begun = process.cpuUsage();
  expect(countTokens('a'.repeat(200_000))).toBeGreaterThan(10_000);
  expect(process.cpuUsage(begun).user).toBeLessThan(1_500_000);
});

test('images are counted by their pixels, else by their bytes', () => {
  const blob = { hash: 'sha256:x', size: 100_000 };
  expect(imageTokens(blob)).toBe(150);
  expect(imageTokens({ ...blob, size: 300_000 })).toBe(400);
  expect(imageTokens({ ...blob, size: 3_000_000 })).toBe(1_600);
  expect(imageTokens(blob, { width: 300, height: 300 })).toBe(120);
  expect(imageTokens(blob, { width: 9_000, height: 9_000 })).toBe(1_600);
});
