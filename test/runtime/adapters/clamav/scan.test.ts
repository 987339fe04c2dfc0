import { expect, test } from 'vitest';
import { createScan } from '../../../../runtime/adapters/clamav/scan.ts';
import { startClamd } from '../../../tools/services/clamd.ts';

const { signal } = new AbortController();
const large = Buffer.alloc(3_000_000, 'a');
const options = { size: large.length, signal };

async function* pieces(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 700_001) yield file.subarray(at, at + 700_001);
}

// proves: files.scan
test('a file is handed over whole, in pieces, and what was found in it is reported', async () => {
  await using clamd = await startClamd();
  const scan = createScan(clamd);
  expect(await scan(pieces(large), options)).toBeUndefined();
  expect(await scan(pieces(new Uint8Array()), options)).toBeUndefined();
  const infected = Buffer.concat([large, Buffer.from('a virus')]);
  expect(await scan(pieces(infected), options)).toBe('Test.Virus');
});

// proves: files.scan
test.each([
  ['an error', () => 'INSTREAM size limit exceeded. ERROR', 'INSTREAM size limit exceeded'],
  ['nothing at all', () => '', 'connection closed without an answer'],
  ['what sounds like yes', () => 'stream: OK, I think', 'stream: OK, I think'],
])('an unclear answer is a fault: %s', async (_, answer, because) => {
  await using clamd = await startClamd(answer);
  await expect(createScan(clamd)(pieces(large), options)).rejects.toThrow(because);
});

// proves: files.scan
test('a scanner that is not there is a fault that says what to do, and a stop is a stop', async () => {
  const clamd = await startClamd();
  await clamd[Symbol.asyncDispose]();
  await expect(createScan(clamd)(pieces(large), options)).rejects.toThrow('start clamd');
  await using silent = await startClamd(() => undefined);
  const stopped = new AbortController();
  const scanning = createScan(silent)(pieces(large), { ...options, signal: stopped.signal });
  stopped.abort(new Error('enough'));
  await expect(scanning).rejects.toThrow();
});
