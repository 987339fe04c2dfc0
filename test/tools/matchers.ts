import { expect } from 'vitest';

// vitest types its matchers as `any`; within a larger expectation that would hide a mistake.

export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

export function holding(...items: readonly unknown[]): unknown {
  return expect.arrayContaining([...items]);
}
