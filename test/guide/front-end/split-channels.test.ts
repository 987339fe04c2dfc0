import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { splitChannels } from './split-channels.ts';

test('a reply is split into its channels while it arrives', async () => {
  const pieces = [
    '<channel:thi',
    'nking>Hm.</channel:thinking><channel:risks>Rain',
    '</channel:risks>',
  ];
  const texts: Record<string, string> = {};
  for await (const { channel, text } of splitChannels(Readable.from(pieces))) {
    texts[channel] = (texts[channel] ?? '') + text;
  }
  expect(texts).toEqual({ thinking: 'Hm.', risk: 'Rain' });
});
