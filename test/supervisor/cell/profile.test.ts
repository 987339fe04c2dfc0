import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampLimits, defaultProfile } from '../../../supervisor/cell/profile.ts';

// proves: exec.profile

const names = ['timeoutMs', 'memoryMb', 'fileMb', 'workspaceMb', 'processes'] as const;
const others = names.filter((name) => name !== 'fileMb');
const limits = fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 1 })])));

test('no request gets more than the platform allows or than it asks for', () => {
  fc.assert(
    fc.property(limits, limits, (some, most) => {
      const [asked, ceilings] = [toLimits(some), toLimits(most)];
      const given = clampLimits(asked, { ...defaultProfile, ceilings });
      for (const name of others) expect(given[name]).toBe(Math.min(asked[name], ceilings[name]));
      // No file is larger than the place it stands in.
      const largest = Math.min(ceilings.fileMb, given.workspaceMb);
      expect(given.fileMb).toBe(Math.min(asked.fileMb, largest));
    }),
  );
});

function toLimits(some: Partial<Record<string, number>>) {
  const [timeoutMs = 1, memoryMb = 1, fileMb = 1, workspaceMb = 1, processes = 1] = names.map(
    (name) => some[name],
  );
  return { timeoutMs, memoryMb, fileMb, workspaceMb, processes };
}
