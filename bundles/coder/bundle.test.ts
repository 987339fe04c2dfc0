import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const write = (content: string) => ({
  call: {
    tool: 'react.write',
    input: { path: 'files/slug.py', channel: 'internal', content, kind: 'file' },
  },
});
const patch = (from: string, to: string) => ({
  call: {
    tool: 'react.patch',
    input: {
      path: 'files/slug.py',
      channel: 'internal',
      patch: `--- a/files/slug.py\n+++ b/files/slug.py\n@@ -1,1 +1,1 @@\n-${from}\n+${to}\n`,
      kind: 'file',
    },
  },
});

test('a file is written and patched', async () => {
  const model = [write('words = []\n'), patch('words = []', 'words = [1]'), { answer: 'Done.' }];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('Change it.');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result ok',
  ]);
});

test('a patch that does not fit is refused and changes nothing', async () => {
  const model = [write('words = []\n'), patch('nothing', 'something'), { answer: 'I read again.' }];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('Change it.');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result hunk_mismatch',
  ]);
});
