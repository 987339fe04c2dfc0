import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../base/package-root.ts';

const Manifest = z.object({ version: z.string() });

export function version(): string {
  return Manifest.parse(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')))
    .version;
}
