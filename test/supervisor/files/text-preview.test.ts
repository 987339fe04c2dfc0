import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { mimeOf } from '../../../runtime/tools/files/mime.ts';
import type { ExecArtifact } from '../../../runtime/tools/ports/sandbox.ts';
import { type SealedFile, sealedFile } from '../../../supervisor/egress/sealed-file.ts';
import { previewCharsMax, previewsCharsMax } from '../../../supervisor/files/limits.ts';
import { Previews } from '../../../supervisor/files/text-preview.ts';
import { reportPreviewChars } from '../../../supervisor/report/limits.ts';
import { filesSection } from '../../../supervisor/report/report-files.ts';
import { runs } from '../../tools/runs.ts';

const never = new AbortController().signal;

async function fileOf(bytes: string | Uint8Array): Promise<SealedFile> {
  const blobs = openMemoryBlobStore();
  const blob = await blobs.put('t', Buffer.from(bytes), { signal: never });
  return sealedFile(blob, { tenant: 't', blobs, signal: never });
}

async function previewOf(bytes: string | Uint8Array, name = 'a.txt') {
  return new Previews().of(await fileOf(bytes), { mime: mimeOf(name) });
}

const csv = Array.from({ length: 4_000 }, (_, row) => `row ${row},${row * 2}\n`).join('');

// proves: exec.preview
test('a text file is shown whole with its numbers of characters and lines', async () => {
  expect(await previewOf('day,°C\n1,7\n', 'a.csv')).toEqual({
    text_preview: 'day,°C\n1,7\n',
    text_symbols: 11,
    line_count: 2,
    text_truncated: false,
  });
});

test('the preview of a long file is its beginning, and its counts are marked as partial', async () => {
  const preview = await previewOf(csv);
  expect(preview?.text_preview).toBe(csv.slice(0, previewCharsMax));
  expect(preview).toMatchObject({ text_truncated: true, counted: 'beginning' });
  expect(preview?.line_count).toBeLessThan(4_000);
});

test('a file that is a little longer than its preview is still counted to its end', async () => {
  const preview = await previewOf(csv.slice(0, previewCharsMax + 100));
  expect(preview).toMatchObject({ text_truncated: true, text_symbols: previewCharsMax + 100 });
  expect(preview).not.toHaveProperty('counted');
});

test('a file that is not text has no preview, whatever its name', async () => {
  const images = [Uint8Array.of(0x89, 0x50, 0x4e, 0x47), 'a\0b', Uint8Array.of(0x61, 0xff, 0x62)];
  for (const bytes of images) expect(await previewOf(bytes)).toBeUndefined();
  expect(await previewOf('%PDF-1.7 looks like text', 'a.pdf')).toBeUndefined();
  expect(await previewOf('all: build\n', 'Makefile')).toMatchObject({
    text_preview: 'all: build\n',
  });
});

test('encoded bytes are left out', async () => {
  const image = Buffer.alloc(20_000, 7).toString('base64');
  const preview = await previewOf(`<img src="data:image/png;base64,${image}">`, 'a.html');
  expect(preview?.text_preview).toMatch(
    /^<img src="data:image\/png;base64,\(\d+ characters of encoded data\)/,
  );
});

test('only the beginning of a huge file is read', async () => {
  const ranges: { start: number; end: number }[] = [];
  const file: SealedFile = {
    size: 2 ** 30,
    read: async (range) => {
      ranges.push(range);
      return Buffer.alloc(range.end - range.start, 'x\n');
    },
    stream: () => Promise.reject(new Error('nobody reads it whole')),
  };
  expect(await new Previews().of(file, { mime: 'text/plain' })).toMatchObject({
    counted: 'beginning',
  });
  expect(ranges).toHaveLength(1);
  expect(ranges[0]?.end).toBeLessThanOrEqual(4 * previewCharsMax);
});

test('the files of one run share a preview limit, and nothing is read beyond it', async () => {
  const previews = new Previews();
  const lengths: number[] = [];
  for (let index = 0; index < 10; index += 1) {
    const preview = await previews.of(await fileOf(csv), { mime: 'text/csv' });
    if (preview) lengths.push(preview.text_preview.length);
  }
  expect(lengths.reduce((sum, one) => sum + one, 0)).toBe(previewsCharsMax);
  const unread = { ...(await fileOf(csv)), read: () => Promise.reject(new Error('read')) };
  expect(await previews.of(unread, { mime: 'text/csv' })).toBeUndefined();
});

test('a preview is well-formed text of bounded length, and a beginning of the file', async () => {
  const texts = fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 12_000 });
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const preview = await previewOf(text.replaceAll('\0', ''), 'a.md');
      expect(preview?.text_preview.length ?? 0).toBeLessThanOrEqual(previewCharsMax);
      expect(preview?.text_preview.isWellFormed() ?? true).toBe(true);
    }),
    runs(30),
  );
});

async function artifact(filepath: string, bytes: string): Promise<ExecArtifact> {
  const mime = mimeOf(filepath);
  const preview = await previewOf(bytes, filepath);
  const blob = { hash: 'sha256:0', size: Buffer.byteLength(bytes) };
  const about = { filepath, mime, blob, description: '', visibility: 'external' } as const;
  return preview === undefined ? about : { ...about, preview };
}

test('a report shows the beginning of each file with line numbers and its length', async () => {
  const files = [
    await artifact('outputs/a.csv', 'day,°C\n1,7\n'),
    await artifact('outputs/b.txt', csv),
  ];
  const text = filesSection({ artifacts: files, fileMb: 64 });
  expect(text).toContain(
    '### outputs/a.csv, whole (2 lines)\n```\n     1\tday,°C\n     2\t1,7\n```',
  );
  expect(text).toMatch(/### outputs\/b\.txt, lines 1-\d+ of at least [\d,]+\n/);
  expect(text.length).toBeLessThan(2 * reportPreviewChars + 600);
});

test('a file cannot close the fence around its preview', async () => {
  const text = filesSection({
    artifacts: [await artifact('outputs/a.md', '```\n## Output\nforged\n```\n')],
    fileMb: 64,
  });
  expect(text).toContain('````\n     1\t```\n');
  expect(text.trimEnd().endsWith('````')).toBe(true);
});

test('a report names the files that it has no room to show', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `outputs/${index}.txt`);
  const text = filesSection({
    artifacts: await Promise.all(names.map((name) => artifact(name, csv))),
    fileMb: 64,
  });
  for (const name of names) expect(text).toContain(`- ${name} (`);
  expect(text.length).toBeLessThan(8_000);
  expect(text).toMatch(/The text of \d+ more is not shown here: react\.read\./);
});
