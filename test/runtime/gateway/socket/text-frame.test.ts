import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { toTextFrame } from '../../../../runtime/gateway/socket/text-frame.ts';

/** RFC 6455, 1.3. */
const handshakeGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];
const texts = [
  ...lengths.map((length) => 'x'.repeat(length)),
  'é'.repeat(63),
  '界😀'.repeat(9_363),
];

test('a WebSocket client reads frames of every length as the texts that were written', async () => {
  let wire: Duplex | undefined;
  const server = createServer().on('upgrade', ({ headers }, socket) => {
    wire = socket;
    const key = `${headers['sec-websocket-key']}${handshakeGuid}`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    for (const text of texts) socket.write(toTextFrame(text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const read: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    client.addEventListener('error', reject);
    client.addEventListener('message', ({ data }) => {
      if (read.push(data) === texts.length) resolve();
    });
  });
  wire?.destroy();
  server.close();
  expect(read).toEqual(texts);
});
