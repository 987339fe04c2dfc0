import { expect, test } from 'vitest';
import { inputOf } from '../../../../../runtime/gateway/endpoints/langgraph/run-request.ts';

const data = 'iVBORw0KGgo=';
const mime = 'image/png';
const url = `data:${mime};base64,${data}`;
const read = (block: object) =>
  inputOf({ messages: [{ type: 'human', content: [{ type: 'text', text: 'What?' }, block] }] });

// proves: endpoints.langgraph-files
test.each([
  { type: 'image', mimeType: mime, data },
  { type: 'image', mime_type: mime, base64: data },
  { type: 'image', source_type: 'base64', mime_type: mime, data },
  { type: 'image', url },
  { type: 'image_url', image_url: url },
  { type: 'image_url', image_url: { url, detail: 'low' } },
  { type: 'file', file: { file_data: url } },
  { type: 'image', source: { type: 'base64', media_type: mime, data } },
])('a file in any form of a content block is an attachment: %#', (block) => {
  const { text, attachments } = read(block);
  expect([text, attachments]).toEqual(['What?', [{ name: 'file.png', mime, data }]]);
});

// proves: endpoints.langgraph-files
test.each([
  { type: 'file', mimeType: mime, data, metadata: { filename: 'dot.png' } },
  { type: 'image', mimeType: mime, data, metadata: { name: 'dot.png' } },
  { type: 'file', mime_type: mime, base64: data, filename: 'dot.png' },
  { type: 'file', file: { file_data: url, filename: 'dot.png' } },
])('a file keeps its name: %#', (block) => {
  expect(read(block).attachments).toEqual([{ name: 'dot.png', mime, data }]);
});

// proves: endpoints.langgraph-files
test.each([
  [{ type: 'image', url: 'https://example.org/a.png' }, 'send the file as a data: URL'],
  [{ type: 'file', fileId: 'file_1' }, 'send the file as base64 in data, or as a data: URL'],
  [{ type: 'audio' }, 'send the file as base64 in data, or as a data: URL'],
])('a file without its content is refused and not lost: %#', (block, says) => {
  expect(() => read(block)).toThrow(says);
});

test('other blocks, such as reasoning, are left out', () => {
  expect(read({ type: 'reasoning', reasoning: 'Hm.' })).toMatchObject({ attachments: [] });
});
