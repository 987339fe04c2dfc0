import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../executor');

test('the code that runs beside a program stays under 600 lines', () => {
  const files = readdirSync(folder);
  expect(files.sort()).toEqual([
    'disk_guard.py',
    'frames.mjs',
    'guard.py',
    'harness.mjs',
    'harness.py',
    'in_place.py',
    'launcher.py',
  ]);
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').length;
  const beside = (...names: readonly string[]) => names.reduce((sum, name) => sum + lines(name), 0);
  // A program has the harness of its own language beside it, and a guard only where both share a container or a disk.
  expect(beside('launcher.py', 'guard.py', 'harness.py')).toBeLessThan(600);
  expect(beside('launcher.py', 'disk_guard.py', 'harness.py')).toBeLessThan(600);
  expect(beside('launcher.py', 'in_place.py', 'harness.py')).toBeLessThan(600);
  expect(beside('launcher.py', 'guard.py', 'harness.mjs', 'frames.mjs')).toBeLessThan(600);
});
