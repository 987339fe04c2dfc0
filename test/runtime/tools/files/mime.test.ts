import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStatic } from '../../../../runtime/gateway/assets/static-files.ts';
import { declaredTypes } from '../../../../runtime/gateway/inspection/file-types.ts';
import { isTextual, mimeOf } from '../../../../runtime/tools/files/mime.ts';

describe('the table of media types', () => {
  // proves: files.one-type
  test.each(['ts', 'jsonl', 'ndjson', 'geojson', 'arrow', 'md', 'csv'])(
    'an upload and a file of a program that end in .%s have the same type',
    (extension) => {
      const name = `file.${extension}`;
      expect(declaredTypes({ name, mime: '' })).toEqual([mimeOf(name)]);
    },
  );

  // proves: files.one-type
  test.each([
    ['text/x-typescript', true],
    ['text/csv; charset=utf-8', true],
    ['application/x-ndjson', true],
    ['application/jsonl', true],
    ['application/geo+json', true],
    ['image/svg+xml', true],
    ['application/sql', true],
    ['application/pdf', false],
    ['application/octet-stream', false],
    ['application/xmlish', false],
  ])('%s is text: %s', (mime, isText) => {
    expect(isTextual(mime)).toBe(isText);
  });

  // proves: files.one-type
  test('a file of a widget has the type of the table, in UTF-8 if it is text', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'timeloom-static-'));
    for (const name of ['a.mjs', 'a.map', 'a.wasm', 'a.py']) await writeFile(join(dir, name), 'x');
    expect((await readStatic(dir, 'a.mjs'))?.mime).toBe('text/javascript; charset=utf-8');
    expect((await readStatic(dir, 'a.map'))?.mime).toBe('application/json');
    expect((await readStatic(dir, 'a.wasm'))?.mime).toBe('application/wasm');
    expect(await readStatic(dir, 'a.py')).toBeUndefined();
    await rm(dir, { recursive: true });
  });
});
