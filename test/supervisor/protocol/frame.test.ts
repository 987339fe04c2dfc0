import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFault } from '../../../runtime/base/fault.ts';
import { readMessage } from '../../../supervisor/protocol/executor-message.ts';
import { encodeFrame, FrameDecoder, headerBytes } from '../../../supervisor/protocol/frame.ts';
import { frameBytesMax } from '../../../supervisor/protocol/limits.ts';

// proves: exec.frames

const message = fc.jsonValue({ maxDepth: 4 });

test('any split of the stream gives the same messages', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.infiniteStream(fc.nat(40)), (all, cuts) => {
      const bytes = Buffer.concat(all.map((one) => encodeFrame(one)));
      const decoder = new FrameDecoder();
      const seen: unknown[] = [];
      for (let at = 0; at < bytes.length; ) {
        const length = 1 + Number(cuts.next().value);
        seen.push(...decoder.push(bytes.subarray(at, at + length)));
        at += length;
      }
      // Through text, as the wire does: -0 is 0 there.
      const sent: unknown = JSON.parse(JSON.stringify(all));
      expect(seen).toEqual(sent);
    }),
  );
});

test('a frame that arrives byte by byte takes only the memory of its bytes', () => {
  const bytes = encodeFrame('x'.repeat(1_000_000));
  const decoder = new FrameDecoder();
  const before = heldBytes();
  const seen: unknown[] = [];
  for (let at = 0; at < bytes.length - 1; at += 1)
    seen.push(...decoder.push(bytes.subarray(at, at + 1)));
  // An object for each would be 100 MB.
  expect(heldBytes() - before).toBeLessThan(50_000_000);
  seen.push(...decoder.push(bytes.subarray(-1)));
  expect(seen).toEqual(['x'.repeat(1_000_000)]);
});

test('arbitrary bytes are either messages or a protocol violation', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
      const decoder = new FrameDecoder();
      expect(outcome(() => chunks.flatMap((chunk) => [...decoder.push(chunk)]))).toMatch(
        /ok|PROTOCOL/,
      );
    }),
  );
});

test('a length over the limit is refused before its body is kept', () => {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(frameBytesMax + 1);
  expect(outcome(() => [...new FrameDecoder().push(header)])).toBe('EXEC_PROTOCOL');
  header.writeUInt32BE(frameBytesMax);
  expect(outcome(() => [...new FrameDecoder().push(header)])).toBe('ok');
});

test('a frame that is not JSON in UTF-8 is refused', () => {
  for (const body of [
    Buffer.from('{'),
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.alloc(0),
    Buffer.from('1\n2'),
  ]) {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    const bytes = Buffer.concat([header, body]);
    expect(outcome(() => [...new FrameDecoder().push(bytes)])).toBe('EXEC_PROTOCOL');
  }
});

test('many small frames in one chunk cost what their bytes cost', () => {
  const one = encodeFrame({ a: 1 });
  const count = 200_000;
  const bytes = Buffer.alloc(one.length * count, one);
  let seen = 0;
  const begun = process.cpuUsage();
  for (const _ of new FrameDecoder().push(bytes)) seen += 1;
  expect(seen).toBe(count);
  // A copy of the rest for each frame would be 200 GB.
  expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
});

test('anything that is not exactly a message is refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(outcome(() => read(value))).toBe('EXEC_PROTOCOL');
    }),
  );
  const call = { type: 'tool_call', id: '1', tool: 'a.b', input: {}, reason: '' };
  expect(outcome(() => read(call))).toBe('ok');
  const wrong = [
    { ...call, extra: 1 },
    { ...call, id: 'x'.repeat(65) },
    { ...call, input: [] },
    { type: 'start', code: '' },
    { ...call, texts: [] },
    { type: 'result', id: '1', result: {} },
  ];
  for (const value of wrong) {
    expect(outcome(() => read(value))).toBe('EXEC_PROTOCOL');
  }
});

/** As it comes from an executor, with the input of a call. */
function read(value: unknown): unknown {
  const message = readMessage(encodeFrame(value).subarray(headerBytes));
  return message.type === 'tool_call' ? message.input.parse() : message;
}

function outcome(act: () => unknown): string {
  try {
    act();
    return 'ok';
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
}

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
