import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BlobRef } from '../../../runtime/timeline/block.ts';
import { toTurnId } from '../../../runtime/timeline/ids.ts';
import { comparedBytesMax, keptFilesMax } from '../../../supervisor/files/limits.ts';
import { workspaceRetention } from '../../../supervisor/files/workspace-retention.ts';

const turn = toTurnId('turn_00000000000000000001');

function refOf(text: string): BlobRef {
  const hash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  return { hash, size: Buffer.byteLength(text) };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for (const char of text) yield Buffer.from(char);
}

function workspace(given: Readonly<Record<string, string>>) {
  const stored: string[] = [];
  const keep = workspaceRetention({
    given: new Map(Object.entries(given).map(([path, text]) => [path, refOf(text)])),
    put: async (bytes) => {
      let text = '';
      for await (const chunk of bytes) text += Buffer.from(chunk).toString();
      stored.push(text);
      return refOf(text);
    },
  });
  return { keep, stored };
}

// proves: exec.workspace-kept
test('a workspace keeps its files and fifty new ones, but no files elsewhere and no temporary files', () => {
  const { keep } = workspace({ 'files/given.txt': 'x' });
  const takes = (path: string) => keep.keeps({ path, size: 1 });
  for (const path of ['outputs/a', 'attachments/a', 'files/tmp/a', `${turn}/files/tmp/a`, 'other'])
    expect(takes(path)).toBe(false);
  const many = Array.from({ length: keptFilesMax + 5 }, (_, n) => takes(`files/deep/${n}`));
  expect(many.filter((taken) => taken)).toHaveLength(keptFilesMax);
  expect(takes('files/given.txt')).toBe(true);
  for (const name of [turn, 't7']) expect(takes(`${name}/files/given.txt`)).toBe(true);
});

test('an unchanged file is not stored again; an edit of the same size is', async () => {
  const { keep, stored } = workspace({ 'files/a.txt': 'old' });
  const put = (path: string, text: string, size = text.length) =>
    keep.put({ path, size }, bytesOf(text));
  expect(await put('files/a.txt', 'old')).toEqual(refOf('old'));
  expect(stored).toEqual([]);
  expect(await put('files/a.txt', 'new')).toEqual(refOf('new'));
  expect(await put(`${turn}/files/a.txt`, 'longer')).toEqual(refOf('longer'));
  expect(await put('outputs/a.txt', 'old')).toEqual(refOf('old'));
  expect(stored).toEqual(['new', 'longer', 'old']);
});

test('a file is read into memory for comparison only up to a limit', async () => {
  const large = 'x'.repeat(10);
  const stored: number[] = [];
  const given = new Map([['files/a', { hash: refOf(large).hash, size: comparedBytesMax + 1 }]]);
  const put = async () => {
    stored.push(1);
    return refOf(large);
  };
  const keep = workspaceRetention({ given, put });
  await keep.put({ path: 'files/a', size: comparedBytesMax + 1 }, bytesOf(large));
  expect(stored).toEqual([1]);
});
