import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ProcessStream } from '../../../../runtime/adapters/docker/engine/process-stream.ts';

function openStream() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  return { stdin, stdout, stream: new ProcessStream({ stdin, stdout }) };
}

// proves: exec.docker-held
test('a supervisor is left with its connection, and with it the files it holds', async () => {
  const { stdin, stdout, stream } = openStream();
  stream.leave();
  await once(stream, 'close');
  expect(stdout.destroyed).toBe(true);
  expect([stdin.destroyed, stdin.writableEnded]).toEqual([false, false]);
});

test('a supervisor whose stream is destroyed loses its connection', async () => {
  const { stdin, stream } = openStream();
  stream.destroy();
  await once(stream, 'close');
  expect(stdin.writableEnded).toBe(true);
});

test('bytes go both ways, in order, however many wait', async () => {
  const { stdin, stdout, stream } = openStream();
  const sent = Array.from({ length: 2_000 }, (_, n) => Buffer.from(`line ${n}\n`));
  const [down, up] = [buffer(stdin), buffer(stream)];
  for (const line of sent) {
    stream.write(line);
    stdout.write(line);
  }
  stdout.end();
  expect((await up).equals(Buffer.concat(sent))).toBe(true);
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
  stdin.end();
  expect((await down).equals(Buffer.concat(sent))).toBe(true);
});

test('a program that prints faster than it is read waits', async () => {
  const { stdout, stream } = openStream();
  const chunk = Buffer.alloc(16 * 1024);
  let written = 0;
  while (written < 100 && stdout.write(chunk)) {
    written += 1;
    await new Promise(setImmediate);
  }
  expect(written).toBeLessThan(20);
  stream.destroy();
});

test('a connection that breaks ends the stream', async () => {
  const { stdout, stream } = openStream();
  stdout.destroy();
  await once(stream, 'close');
  expect(stream.destroyed).toBe(true);
});
