import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { hostAttachments } from '../../../../runtime/gateway/files/host-attachments.ts';
import { safeName } from '../../../../runtime/gateway/files/host-file.ts';
import { Uploads } from '../../../../runtime/gateway/files/uploads.ts';
import { Inspector } from '../../../../runtime/gateway/inspection/inspector.ts';
import type { FileRules, Scan } from '../../../../runtime/gateway/ports/file-rules.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { matching } from '../../../tools/matchers.ts';

const sender = { tenant: 't', project: 'p', user: 'u' };
const signal = new AbortController().signal;
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

type Attachments = Parameters<typeof hostAttachments>[0];

/** A gateway's parts for files, over memory. */
function open(files: FileRules = {}) {
  const scope = new Scope();
  const blobs = scope.own(openMemoryBlobStore());
  const inspector = scope.own(new Inspector(files));
  const storage = createMemoryStorage(() => systemClock.now());
  const common = { blobs, inspector, files };
  const uploads = new Uploads({ ...common, storage, clock: systemClock, ids: randomIds });
  return {
    blobs,
    uploads,
    host: (attachments: Attachments) =>
      hostAttachments(attachments, { ...common, sender, uploads, signal }),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

async function host(...attachments: Attachments) {
  await using desk = open();
  return await desk.host(attachments);
}

test('a safe name is a plain name, whatever the input', () => {
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

test('text files carry a preview of whole characters', async () => {
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

// proves: attachments.types
test('text in UTF-16 is decoded for its preview', async () => {
  const data = Buffer.from('\ufeffGrüße', 'utf16le');
  const [file] = await host({ name: 'a.txt', mime: 'text/plain', data });
  expect(file?.preview).toBe('Grüße');
});

// proves: attachments.verdict
test('a refusal names the file and the reason, for programs as well', async () => {
  const fine = { name: 'a.csv', mime: 'text/csv', data: bytesOf('a,b') };
  const data = Buffer.concat([bytesOf('MZ'), Buffer.alloc(100)]);
  await expect(host(fine, { name: 'notes.txt', mime: 'text/plain', data })).rejects.toMatchObject({
    code: 'attachment_refused',
    message: matching(/^notes.txt is .*, not text.plain/),
    facts: { file: 'notes.txt', reason: 'type_mismatch' },
  });
});

test('the files of a message have a common limit, and one bad file refuses all', async () => {
  const data = new Uint8Array(9 * 1024 * 1024).fill(65);
  const large = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, mime: 'text/plain', data }));
  await expect(host(...large)).rejects.toThrow('the limit for a message is 26214400');
  const empty = { name: 'empty.csv', mime: 'text/csv', data: new Uint8Array() };
  await expect(host(empty)).rejects.toMatchObject({ message: 'empty.csv is empty' });
});

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const infected: Scan = async (_, { size }) => (size === gif.length ? 'Test.Virus' : undefined);

// proves: files.scan, files.rules
test.each([
  ['an infected file', { scan: infected }, 'b.gif is infected: Test.Virus'],
  ['a large image', { imageBytes: 7 }, 'b.gif has 42 bytes; the limit for image/gif is 7'],
  [
    'too much of all',
    { messageBytes: 10 },
    'b.gif and the files before it have 45 bytes; the limit for a message is 10',
  ],
])(
  'by the rules of an operator nothing is kept of a message with %s',
  async (_, files, because) => {
    await using desk = open(files);
    const put = vi.spyOn(desk.blobs, 'put');
    const attachments = [
      { name: 'a.csv', mime: 'text/csv', data: bytesOf('a,b') },
      { name: 'b.gif', mime: 'image/gif', data: gif },
    ];
    await expect(desk.host(attachments)).rejects.toThrow(because);
    expect(put).not.toHaveBeenCalled();
  },
);

// proves: files.scan
test('an infected upload is refused once it is complete, and deleted', async () => {
  const seen: string[] = [];
  const scan: Scan = async (bytes) => {
    for await (const piece of bytes) seen.push(Buffer.from(piece).toString());
    return 'Test.Virus';
  };
  await using desk = open({ scan });
  const { uploads } = desk;
  const begun = await uploads.create({ name: 'a.csv', mime: 'text/csv', size: 3 }, sender);
  const body = (async function* () {
    yield bytesOf('a,b');
  })();
  const coming = uploads.append(begun, body, { sender, signal });
  await expect(coming).rejects.toThrow('a.csv is infected: Test.Virus');
  expect(seen).toEqual(['a,b']);
  await expect(uploads.find(begun.id, sender)).rejects.toThrow(/upload .* not found/);
});
