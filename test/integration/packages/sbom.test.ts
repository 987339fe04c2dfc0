import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../../..');
const Sbom = z.object({ components: z.array(z.object({ purl: z.string() })) });
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

// proves: house.sbom
test('the documented command lists every dependency of the product', async () => {
  const page = readFileSync(join(root, 'docs/guide/supply-chain.md'), 'utf8');
  const args = /^npm (sbom .*?) >/m.exec(page)?.[1]?.split(' ') ?? [];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 1e8 });
  const { components } = Sbom.parse(JSON.parse(stdout));
  const names = new Set(
    components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@.*$/, '$1')),
  );
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { dependencies } = Manifest.parse(manifest);
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
});
