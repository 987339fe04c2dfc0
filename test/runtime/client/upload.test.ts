import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from '../../../runtime/client/connect.ts';
import { openStage, type Stage } from '../gateway/stage.ts';
import { openWire, type Wire } from './cuttable-proxy.ts';

let stage: Stage;
let wire: Wire;
beforeEach(async () => {
  stage = await openStage();
  wire = await openWire(stage.gateway.port);
});
afterEach(async () => {
  await wire[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const bytes = Buffer.from('a,b\n1,2\n'.repeat(500_000));
const file = new File([bytes], 'a.csv', { type: 'text/csv' });

// proves: uploads.client
test('a large upload survives lost connections and reports its progress', async () => {
  await using client = connect({ url: wire.url });
  const progress: number[] = [];
  const turn = await client.conversation('conv_u').send('see', {
    attachments: [file],
    onUpload: ({ sent, total }) => {
      expect(total).toBe(bytes.byteLength);
      progress.push(sent);
      if (progress.length % 2 === 1) wire.cut();
    },
  });
  expect(progress[0]).toBe(0);
  expect(progress.at(-1)).toBe(bytes.byteLength);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.length).toBeGreaterThan(3);
  const kept = await client.fetch(`fi:${turn.id}.user.attachments/a.csv`);
  expect(Buffer.from(await kept.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a refused file is not retried, and an aborted send stops', async () => {
  await using client = connect({ url: wire.url });
  const conversation = client.conversation('conv_u');
  const image = new File([bytes], 'a.png', { type: 'image/png' });
  await expect(conversation.send('see', { attachments: [image] })).rejects.toMatchObject({
    code: 'attachment_refused',
  });
  const stop = new AbortController();
  const onUpload = ({ sent }: { sent: number }) => sent > 0 && stop.abort(new Error('enough'));
  const options = { attachments: [file], onUpload, signal: stop.signal };
  await expect(conversation.send('see', options)).rejects.toThrow();
});
