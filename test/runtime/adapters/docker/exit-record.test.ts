import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExitRecordReader } from '../../../../runtime/adapters/docker/cell/exit-record.ts';

// proves: exec.docker-combined

const mark = Buffer.from('0001000200010003', 'hex');

/** Bytes that look like the mark again and again, and never are. */
const printed = fc
  .array(fc.constantFrom(0, 1, 2, 3), { maxLength: 60 })
  .map((bytes) => Buffer.from(bytes))
  .filter((bytes) => !Buffer.concat([bytes, mark.subarray(0, -1)]).includes(mark));

async function passed(output: ExitRecordReader): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function write(output: ExitRecordReader, bytes: Buffer, cuts: readonly number[]): void {
  const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    output.write(bytes.subarray(from, end));
    from = end;
  }
}

test('what was printed passes whole and the word is heard, however both arrive', async () => {
  const ended = fc.record({ code: fc.nat(255), outOfMemory: fc.boolean() });
  const said = fc.record({ bytes: printed, ended, cuts: fc.array(fc.nat(80)) });
  const check = fc.asyncProperty(said, async ({ bytes, ended: { code, outOfMemory }, cuts }) => {
    const output = new ExitRecordReader(mark);
    const word = Buffer.from([code, outOfMemory ? 1 : 0]);
    write(output, Buffer.concat([bytes, mark, word]), cuts);
    expect(await passed(output)).toEqual(bytes);
    expect(await output.record).toEqual({ code, outOfMemory });
  });
  await fc.assert(check);
});

test('an output that ends without the mark passes whole, what looked like its beginning too', async () => {
  const check = fc.asyncProperty(printed, fc.nat(mark.length), async (bytes, length) => {
    const output = new ExitRecordReader(mark);
    const all = Buffer.concat([bytes, mark.subarray(0, Math.min(length, mark.length - 1))]);
    output.end(all);
    expect(await passed(output)).toEqual(all);
  });
  await fc.assert(check);
});

test('nothing is printed after the word', async () => {
  const output = new ExitRecordReader(mark);
  output.write(Buffer.concat([Buffer.from('on'), mark, Buffer.from([3, 0]), Buffer.from('off')]));
  output.end('later');
  expect((await passed(output)).toString()).toBe('on');
  expect(await output.record).toEqual({ code: 3, outOfMemory: false });
});

test('what cannot be the mark is not held back', () => {
  const output = new ExitRecordReader(mark);
  output.write(Buffer.from('a line\n'));
  expect(output.read()?.toString()).toBe('a line\n');
});
