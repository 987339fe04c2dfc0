import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invariant } from '../../runtime/base/assert.ts';

/** The folder of the launcher and the harnesses, which run without a build: next to the sources, and next to `dist`. */
export function executorFolder(): string {
  const launcher = '../../executor/launcher.py';
  const path = [launcher, join('..', launcher)]
    .map((name) => join(import.meta.dirname, name))
    .find(existsSync);
  invariant(path !== undefined, 'the executor is part of the package');
  return dirname(path);
}
