import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Fault } from '../../../runtime/base/fault.ts';
import type { ReadableFile } from '../../../runtime/tools/ports/sandbox.ts';
import type { MountedFile } from '../../../supervisor/cell/cell.ts';
import { FileMounts } from '../../../supervisor/execution/file-mounts.ts';
import {
  mountedBytesMax,
  mountedFilesMax,
  mountsInFlightMax,
} from '../../../supervisor/execution/limits.ts';

const { signal } = new AbortController();
const folder = '/opt/timeloom/inputs/handed';

/** A program whose files are what their paths say: `<hash> <size> <filename>`. */
function program(mountFile: (file: MountedFile) => Promise<void> = async () => undefined) {
  const put: MountedFile[] = [];
  const host = {
    findFile: async (path: string): Promise<ReadableFile> => {
      const [hash = '', size = '', ...name] = path.split(' ');
      return { filename: name.join(' '), blob: { hash, size: Number(size) } };
    },
  };
  const cell = {
    mountFile: async (file: MountedFile) => {
      put.push(file);
      await mountFile(file);
    },
  };
  const handles = new FileMounts({ cell, host, tenant: 'acme' });
  return { put, open: (path: string) => handles.mount(path, { signal }) };
}

// proves: exec.handles
test('the same file is mounted once, however often it is requested, also at the same time', async () => {
  const { put, open } = program(() => setImmediate());
  const places = await Promise.all([open('a 1 x.csv'), open('a 1 x.csv')]);
  expect(new Set([...places, await open('a 1 x.csv')])).toEqual(new Set([`${folder}/1/x.csv`]));
  expect(put).toEqual([{ name: '1/x.csv', tenant: 'acme', blob: { hash: 'a', size: 1 } }]);
});

test('new content under the same path is another file, and so is the same content under another name', async () => {
  const { open } = program();
  const asked = ['a 1 x.csv', 'b 1 x.csv', 'a 1 y.csv'];
  expect(await Promise.all(asked.map(open))).toEqual([
    `${folder}/1/x.csv`,
    `${folder}/2/x.csv`,
    `${folder}/3/y.csv`,
  ]);
});

test.each(['..', '.', '', 'a/../../b.csv', 'a\0b', `${'é'.repeat(101)}.csv`])(
  'a name that is none of a file (%j) is not taken',
  async (name) => {
    const { put, open } = program();
    await open(`a 1 ${name}`);
    expect(put[0]?.name).toMatch(/^1\/file(\.csv)?$/);
  },
);

test('a failed file can be requested again, and both attempts count', async () => {
  let fails = true;
  const { open } = program(async () => {
    if (fails) throw new Fault('BLOB_CORRUPT', { hash: 'a' });
  });
  await expect(open('a 1 x.csv')).rejects.toThrow('BLOB_CORRUPT');
  fails = false;
  expect(await open('a 1 x.csv')).toBe(`${folder}/2/x.csv`);
});

test('bytes and files of one program are limited, and it gets an error beyond that', async () => {
  const half = mountedBytesMax / 2;
  const large = program();
  await Promise.all([large.open(`a ${half} x`), large.open(`b ${half} x`)]);
  await expect(large.open('c 1 x')).rejects.toMatchObject({ code: 'too_many_files' });
  expect(await large.open(`a ${half} x`)).toBe(`${folder}/1/x`);
  await expect(program().open(`a ${half + 1} x`)).rejects.toMatchObject({ code: 'file_too_large' });

  const many = program();
  for (let n = 0; n < mountedFilesMax; n += 1) await many.open(`h${n} 1 x`);
  await expect(many.open('one 1 x')).rejects.toMatchObject({ code: 'too_many_files' });
});

test('only a few files are copied at the same time', async () => {
  let [now, most] = [0, 0];
  const { open } = program(async () => {
    now += 1;
    most = Math.max(most, now);
    await setImmediate();
    now -= 1;
  });
  await Promise.all(Array.from({ length: 20 }, (_, n) => open(`h${n} 1 x`)));
  expect(most).toBe(mountsInFlightMax);
});
