import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { hostAttachments } from '../../../runtime/gateway/attachments.ts';
import { kindOfFile } from '../../../runtime/gateway/file-kind.ts';
import { safeName } from '../../../runtime/gateway/hosting.ts';
import { Uploads } from '../../../runtime/gateway/uploads.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/storage.ts';

const sender = { tenant: 't', project: 'p', user: 'u' };
const signal = new AbortController().signal;
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

async function host(...attachments: Parameters<typeof hostAttachments>[0]) {
  await using blobs = openMemoryBlobStore();
  const storage = createMemoryStorage(() => systemClock.now());
  const uploads = new Uploads({ storage, blobs, clock: systemClock, ids: randomIds });
  return await hostAttachments(attachments, { sender, blobs, uploads, signal });
}

test('a safe name is a plain name, whatever it is made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = safeName(text);
      expect(name).not.toMatch(/[/\\<>:"|?*\p{C}]|^\.|^\s|\s$|\.$/u);
      expect(name.length).toBeGreaterThan(0);
      expect(name.length).toBeLessThanOrEqual(120);
      expect(name.isWellFormed()).toBe(true);
      expect(safeName(name)).toBe(name);
    }),
  );
});

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\data\\a.csv', 'a.csv'],
  ['..', 'file'],
  ['.env', 'env'],
  [`${'x'.repeat(200)}.csv`, `${'x'.repeat(116)}.csv`],
  ['Wetter März.csv', 'Wetter März.csv'],
])('%s is kept as %s', (given, kept) => {
  expect(safeName(given)).toBe(kept);
});

test.each([
  ['a.png', '', '\x89PNG\r\n\x1a\n…', 'image/png'],
  ['a.png', 'image/png', 'GIF89a', 'image/gif'],
  ['a.csv', 'application/octet-stream', 'a,b', 'text/csv'],
  ['a.csv', 'text/csv; charset=utf-8', 'a,b', 'text/csv'],
  ['a.pdf', 'application/pdf', 'not a pdf', undefined],
  ['a.webp', 'image/webp', 'RIFFxxxxWAVE', undefined],
  ['a.exe', 'application/x-msdownload', 'MZ', undefined],
  ['a.zip', 'application/zip', 'PK', undefined],
  ['noname', '', 'x', undefined],
  ['a.constructor', '', 'x', undefined],
] as const)('%s declared as “%s” is judged by what it holds', (...row) => {
  const [name, mime, text, kind] = row;
  expect(kindOfFile({ name, mime, bytes: bytesOf(text) })).toBe(kind);
});

test('textual files bring their beginning, whole characters only', async () => {
  const text = `${'a'.repeat(3_999)}😀 and more`;
  const [file] = await host({
    name: 'a.txt',
    mime: 'text/plain',
    data: new TextEncoder().encode(text),
  });
  expect(file?.preview?.length).toBe(4_000);
  expect(file?.preview?.isWellFormed()).toBe(true);
  expect(file?.blob.size).toBe(new TextEncoder().encode(text).byteLength);
});

test('all files of a message together have a limit, and the first bad one refuses all', async () => {
  const data = new Uint8Array(9 * 1024 * 1024).fill(65);
  const large = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, mime: 'text/plain', data }));
  await expect(host(...large)).rejects.toThrow('a message takes 26214400');
  const empty = { name: 'empty.csv', mime: 'text/csv', data: new Uint8Array() };
  await expect(host(empty)).rejects.toMatchObject({ message: 'empty.csv is empty' });
});

const infected = async (bytes: Uint8Array) => (bytes.length === 8 ? 'Test.Virus' : undefined);

// proves: files.scan, files.rules
test.each([
  ['an infected file', { scan: infected }, 'b.gif is infected: Test.Virus'],
  ['a large image', { imageBytes: 7 }, 'b.gif has 8 bytes; image/gif may have 7'],
  ['too much of all', { messageBytes: 10 }, 'all files together have 11 bytes; a message takes 10'],
])(
  'by the rules of an operator nothing is kept of a message with %s',
  async (_, files, because) => {
    await using blobs = openMemoryBlobStore();
    const storage = createMemoryStorage(() => systemClock.now());
    const uploads = new Uploads({ storage, blobs, clock: systemClock, ids: randomIds, files });
    const put = vi.spyOn(blobs, 'put');
    const attachments = [
      { name: 'a.csv', mime: 'text/csv', data: bytesOf('a,b') },
      { name: 'b.gif', mime: 'image/gif', data: bytesOf('GIF89a--') },
    ];
    const context = { sender, blobs, uploads, signal, files };
    await expect(hostAttachments(attachments, context)).rejects.toThrow(because);
    expect(put).not.toHaveBeenCalled();
  },
);

// proves: files.scan
test('an infected upload is refused when it is whole, and is gone', async () => {
  await using blobs = openMemoryBlobStore();
  const storage = createMemoryStorage(() => systemClock.now());
  const seen: string[] = [];
  const scan = async (bytes: Uint8Array) => {
    seen.push(Buffer.from(bytes).toString());
    return 'Test.Virus';
  };
  const uploads = new Uploads({
    storage,
    blobs,
    clock: systemClock,
    ids: randomIds,
    files: { scan },
  });
  const begun = await uploads.create({ name: 'a.csv', mime: 'text/csv', size: 3 }, sender);
  const body = (async function* () {
    yield bytesOf('a,b');
  })();
  const coming = uploads.append(begun, body, { sender, signal });
  await expect(coming).rejects.toThrow('a.csv is infected: Test.Virus');
  expect(seen).toEqual(['a,b']);
  await expect(uploads.find(begun.id, sender)).rejects.toThrow('there is no upload');
});
