import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../architecture/tree.ts';
import { patient } from '../tools/machine-speed.ts';

// proves: house.api-reference
test(
  'the API reference is up to date',
  async () => {
    const asked = promisify(execFile)(process.execPath, ['deploy/api-reference.mjs', '--check'], {
      cwd: root,
    });
    await expect(asked).resolves.toMatchObject({ stderr: '' });
  },
  patient(120_000),
);
