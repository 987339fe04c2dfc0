import { join } from 'node:path';
import { expect, test } from 'vitest';
import { libraries } from '../../supervisor/cell/libraries.ts';

const deploy = (name: string): Promise<unknown> =>
  import(join(import.meta.dirname, '../../deploy', name));

// proves: exec.libraries
test('the libraries that programs read about are those that the images and this machine install', async () => {
  expect(await deploy('images/debian-libraries.mjs')).toMatchObject({ libraries: [...libraries] });
});

test('the base image is named after what goes into it', async () => {
  const { version, arch } = process;
  const name = `^bookworm-${arch}-node-${version.slice(1)}-[0-9a-f]{8}$`;
  expect(await deploy('images/base-image.mjs')).toHaveProperty('baseName', anyLike(name));
  expect(await deploy('images/base-image.mjs')).toHaveProperty('base.packages[0]', 'python3-numpy');
});

function anyLike(pattern: string): unknown {
  return expect.stringMatching(new RegExp(pattern));
}
