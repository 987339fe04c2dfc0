import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-scans.ts';

test('an answer comes before the scan, and the scan when it is ready', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'library.scan', input: { title: 'Emma' } } },
      {
        call: { tool: 'library.check', input: { answer: 'Emma is being scanned.', title: 'Emma' } },
      },
      { answer: 'Emma is being scanned.' },
      { answer: 'Emma is here: 312 pages.' },
    ],
  });
  const turn = await runtime.send('Scan Emma, please.');
  expect(await turn.done()).toMatchObject({ text: 'Emma is being scanned.' });
  await runtime.job('scan');
  await expect.poll(() => runtime.model.requests.length).toBe(4);
  expect(runtime.model.requests.at(3)?.text).toContain('"pages":312');
});
