import { PDFDocument } from '@cantoo/pdf-lib';
import { expect, test } from 'vitest';
import { defineAgent, defineBundle } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const main = defineAgent({ id: 'main', instruction: 'Help.' });
const bundle = defineBundle({ id: 'desk', version: '1.0.0', agents: [main] });

async function pdfWith(...pages: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const text of pages) {
    const page = document.addPage([300, 200]);
    if (text !== '') page.drawText(text, { x: 20, y: 100, size: 12 });
  }
  return document.save();
}

const read = (path: string, range: object) => ({
  thinking: 'Read it.',
  call: { tool: 'react.read', input: { items: [{ path, ...range }] } },
});

// proves: attachments.pdf-text
test('the text of an attached PDF is in the prompt, is read by lines and found by a memory search', async () => {
  const query = { query: 'lighthouse', scope: 'user', targets: ['attachment'] };
  const search = { tool: 'react.memsearch', input: query };
  const path = 'fi:t1.user.attachments/tides.pdf';
  await using runtime = await openRuntime({
    bundle,
    model: [
      read(path, { line_start: 4, line_count: 3 }),
      read(path, {}),
      { answer: 'Read.' },
      { thinking: 'Find it.', call: search },
      { answer: 'Found.' },
    ],
  });
  const client = runtime.connect();
  const data = await pdfWith('The lighthouse counts tides', '', 'Spring tides come twice');
  const attachments = [{ name: 'tides.pdf', mime: 'application/pdf', data }];
  const turn = await client.conversation().send('Read this', { attachments });
  expect((await turn.done()).reason).toBe('completed');
  const [first, second, third] = runtime.model.requests.map(({ text }) => text);
  expect(first).toContain('The lighthouse counts tides');
  expect(second).toMatch(/--- page 2 ---\n(.*\n)*.*--- page 3 ---/);
  expect(third).toMatch(/attached below; its text has \d+ characters: read it by line_start/);
  const other = await client.conversation().send('Where was the lighthouse?');
  expect((await other.done()).text).toBe('Found.');
  expect(runtime.model.requests.at(-1)?.text).toContain('tides.pdf');
});

// proves: attachments.pdf-text
test('a PDF of scanned pages is attached as it is', async () => {
  const path = 'fi:t1.user.attachments/scan.pdf';
  await using runtime = await openRuntime({
    bundle,
    model: [read(path, { line_start: 1 }), { answer: 'Seen.' }],
  });
  const client = runtime.connect();
  const attachments = [{ name: 'scan.pdf', mime: 'application/pdf', data: await pdfWith('') }];
  const turn = await client.conversation().send('Read this', { attachments });
  expect((await turn.done()).reason).toBe('completed');
  expect(runtime.model.requests[1]?.text).toMatch(/attached below\n/);
});
