import { join } from 'node:path';
import { expect, test } from 'vitest';
import { libraries } from '../../supervisor/cell/libraries.ts';

const deploy = (name: string): Promise<unknown> =>
  import(join(import.meta.dirname, '../../deploy', name));

// proves: exec.libraries
test('images and machines install the libraries that the model gets a list of', async () => {
  expect(await deploy('images/debian-libraries.mjs')).toMatchObject({ libraries: [...libraries] });
});

test('the name of the base image depends on its contents', async () => {
  const { version, arch } = process;
  const name = `^bookworm-${arch}-node-${version.slice(1)}-[0-9a-f]{8}$`;
  expect(await deploy('images/base-image.mjs')).toHaveProperty('baseName', anyLike(name));
  expect(await deploy('images/base-image.mjs')).toHaveProperty('base.packages[0]', 'python3-numpy');
});

function anyLike(pattern: string): unknown {
  return expect.stringMatching(new RegExp(pattern));
}
