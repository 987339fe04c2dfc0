import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invariant } from './assert.ts';

/** The folder of package.json, both from source and from the build. */
export function packageRoot(): string {
  let dir = import.meta.dirname;
  while (!existsSync(join(dir, 'package.json'))) {
    invariant(dirname(dir) !== dir, 'this file is inside the package');
    dir = dirname(dir);
  }
  return dir;
}
