import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../runtime/base/assert.ts';

/** The folder of the launcher and its harnesses, which are run as they are: beside the sources, and beside `dist`. */
export function executorFolder(): string {
  const folder = ['../executor', '../../executor']
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(join(path, 'launcher.py')));
  invariant(folder !== undefined, 'the executor is part of the package');
  return folder;
}
