import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unfitContent } from '../../../supervisor/egress/check-content.ts';
import { archiveMembersMax } from '../../../supervisor/egress/limits.ts';
import type { SealedFile } from '../../../supervisor/egress/sealed-file.ts';
import { runs } from '../../tools/runs.ts';
import { tarOf, zipOf } from './archives.ts';

// proves: exec.egress

function inMemory(bytes: Uint8Array): SealedFile {
  return {
    size: bytes.length,
    read: async ({ start, end }) => Buffer.from(bytes.subarray(start, end)),
    stream: async () => chunks(bytes),
  };
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const unfit = (name: string, bytes: Uint8Array | string) =>
  unfitContent(name, inMemory(Buffer.from(bytes)));

const text = Buffer.from('day,n\n1,2\n');
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024);

test('ordinary archives are valid', async () => {
  const members = [
    { name: 'a/', mode: 0o040755 },
    { name: 'a/größe.csv', bytes: text },
  ];
  expect(await unfit('a.zip', zipOf(members))).toBeUndefined();
  expect(await unfit('a.zip', zipOf([]))).toBeUndefined();
  const tar = await tarOf([
    { name: 'a', type: 'directory' },
    { name: 'a/b.csv', body: 'x' },
    { name: `${'long/'.repeat(40)}name.txt`, body: 'y' },
  ]);
  expect(await unfit('a.tar', tar)).toBeUndefined();
  expect(await unfit('a.tar.gz', gzipSync(tar))).toBeUndefined();
  expect(await unfit('a.csv.gz', gzipSync(text))).toBeUndefined();
});

const outside = [
  '../x',
  'a/../../x',
  '/etc/passwd',
  'C:\\x',
  '..\\x',
  'a\\..\\..\\x',
  '\\\\host\\x',
  'a\0b',
  `${'n'.repeat(2_000)}`,
];
test.each(outside)('a member called %j escapes, in every kind of archive', async (name) => {
  expect(await unfit('a.zip', zipOf([{ name, bytes: text }]))).toBe('archive_member_escapes');
  const fine = zipOf([
    { name: 'fine', bytes: text },
    { name, bytes: text },
  ]);
  expect(await unfit('data.bin', fine)).toBe('archive_member_escapes');
  if (name.includes('\0')) return;
  const tar = await tarOf([{ name: 'fine' }, { name, body: 'x' }]);
  expect(await unfit('a.tar', tar)).toBe('archive_member_escapes');
  expect(await unfit('a.tgz', gzipSync(tar))).toBe('archive_member_escapes');
});

// proves: exec.archive-names
test.each([
  ['a.csv', 'a.csv'],
  ['Data.csv', 'data.csv'],
  ['gr\u00f6\u00dfe.csv', 'gro\u0308\u00dfe.csv'],
  ['a', 'a/b.csv'],
  ['a/b/c.csv', 'A/B'],
  ['a.csv', 'a.csv. '],
  ['a/b.csv', 'a\\b.csv'],
])('members called %j and %j collide, in every kind of archive', async (one, other) => {
  const names = [one, other];
  const zip = zipOf(names.map((name) => ({ name, bytes: text })));
  expect(await unfit('a.zip', zip)).toBe('archive_members_collide');
  expect(
    await unfit('a.tgz', gzipSync(await tarOf(names.map((name) => ({ name, body: 'x' }))))),
  ).toBe('archive_members_collide');
});

// proves: exec.archive-names
test('repeated members have colliding names', async () => {
  const zip = zipOf([{ name: 'a', bytes: text }], { repeat: 50 });
  expect(await unfit('a.bin', zip)).toBe('archive_members_collide');
});

// proves: exec.archive-names
test('a folder may be listed twice, and files in different folders may have the same name', async () => {
  const folder = { name: 'a/', mode: 0o040755 };
  const files = ['a/b.csv', 'c/b.csv', 'a/B/c.csv'].map((name) => ({ name, bytes: text }));
  expect(await unfit('a.zip', zipOf([folder, folder, ...files]))).toBeUndefined();
});

// proves: exec.archive-names
test.each(['\u202E', '\u2066', '\u200F', '\u061C'])(
  'a member whose name turns the direction of text (%j) is misleading',
  async (mark) => {
    const name = `invoice${mark}fdp.exe`;
    expect(await unfit('a.zip', zipOf([{ name, bytes: text }]))).toBe('archive_member_misleading');
    const tar = await tarOf([{ name, body: 'x' }]);
    expect(await unfit('a.tar', tar)).toBe('archive_member_misleading');
  },
);

// proves: exec.egress
test('a bomb is also detected in a file on disk, whatever errors the interrupted streams report', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-bomb-'));
  const path = join(folder, 'bomb');
  const tar = await tarOf([{ name: 'zero', body: megabytes(64).toString('latin1') }]);
  for (const bytes of [gzipSync(megabytes(64)), gzipSync(tar)]) {
    await writeFile(path, bytes);
    const { signal } = new AbortController();
    const file: SealedFile = {
      ...inMemory(bytes),
      stream: async () => createReadStream(path, { highWaterMark: 1_000, signal }),
    };
    expect(await unfitContent('a.gz', file)).toBe('archive_too_large');
  }
  await rm(folder, { recursive: true });
});

test('links and devices are not allowed as members', async () => {
  for (const mode of [0o120777, 0o010644, 0o020644, 0o060644, 0o140644]) {
    const bytes = Buffer.from('/etc/passwd');
    const zip = zipOf([{ name: 'l', mode, bytes }]);
    expect(await unfit('a.zip', zip)).toBe('archive_member_not_regular');
  }
  const links = ['symlink', 'link'] as const;
  const devices = ['fifo', 'character-device', 'block-device'] as const;
  for (const type of [...links, ...devices]) {
    const tar = await tarOf([{ name: 'l', type, linkname: 'fine' }]);
    expect(await unfit('a.tar', tar)).toBe('archive_member_not_regular');
    expect(await unfit('a', gzipSync(tar))).toBe('archive_member_not_regular');
  }
});

test('a bomb is not unpacked completely', async () => {
  const bomb = megabytes(17);
  expect(await unfit('a.zip', zipOf([{ name: 'zero', bytes: bomb }]))).toBe('archive_too_large');
  expect(await unfit('a.gz', gzipSync(bomb))).toBe('archive_too_large');
  const tar = await tarOf([{ name: 'zero', body: bomb.toString('latin1') }]);
  expect(await unfit('a.tgz', gzipSync(tar))).toBe('archive_too_large');
});

test('an archive that is small when unpacked is never a bomb', async () => {
  const zip = zipOf([{ name: 'zero', bytes: megabytes(8) }]);
  expect(await unfit('a.zip', zip)).toBeUndefined();
});

test('too many members are refused', async () => {
  const names = Array.from({ length: archiveMembersMax + 1 }, (_, n) => ({ name: String(n) }));
  expect(await unfit('a.zip', zipOf(names))).toBe('archive_too_many_members');
});

test('an archive with a wrong directory is unreadable', async () => {
  const lies = {
    'a size that is less than there is': zipOf([{ name: 'a', bytes: megabytes(1), said: 10 }]),
    'a size that is more than there is': zipOf([{ name: 'a', bytes: text, said: 11_000 }]),
    'another name inside': zipOf([{ name: 'a', inner: '../a', bytes: text }]),
    'bytes before it': Buffer.concat([Buffer.from('#!/bin/sh\n'), zipOf([{ name: 'a' }])]),
    'no directory': zipOf([{ name: 'a', bytes: text }]).subarray(0, 50),
  };
  for (const [what, bytes] of Object.entries(lies)) {
    expect([what, await unfit('a.bin', bytes)]).toEqual([what, 'archive_unreadable']);
  }
});

test('archives that cannot be inspected are not delivered', async () => {
  expect(await unfit('a.xz', Buffer.from('fd377a585a000004', 'hex'))).toBe('archive_unsupported');
  expect(await unfit('a.txt', Buffer.from('BZh91AY&SY'))).toBe('archive_unsupported');
});

test('the content of a file must match its extension', async () => {
  for (const name of ['a.png', 'a.pdf', 'a.zip', 'a.xlsx', 'a.gz', 'a.JPG']) {
    expect(await unfit(name, 'nothing of the kind')).toBe('artifact_type_mismatch');
  }
  expect(await unfit('a.xlsx', zipOf([{ name: 'a', bytes: text }]))).toBe('artifact_type_mismatch');
  const book = zipOf([{ name: '[Content_Types].xml', bytes: text }]);
  expect(await unfit('a.xlsx', book)).toBeUndefined();
  expect(await unfit('a.csv', 'day,n\n')).toBeUndefined();
  expect(await unfit('a.pdf', '%PDF-1.7\n')).toBeUndefined();
  expect(await unfit('notes', 'PK is not an archive')).toBeUndefined();
});

test('a damaged archive always gets a verdict', async () => {
  const tar = await tarOf([{ name: 'a/b.csv', body: 'x'.repeat(700) }]);
  const whole = [zipOf([{ name: 'a', bytes: text }, { name: 'b' }]), tar, gzipSync(tar)];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...whole),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(255),
      async (bytes, place, value) => {
        const damaged = Buffer.from(bytes);
        damaged[Math.floor(place * (damaged.length - 1))] = value;
        const code = await unfit('a.bin', damaged);
        expect(code ?? 'archive_').toMatch(/^(archive_|artifact_)/);
      },
    ),
    runs(150),
  );
});
