import { expect, test } from 'vitest';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openHarness } from '../kit/harness.ts';

function write(path: string, content: string) {
  const params = { path, channel: 'canvas', content };
  const decision = {
    action: 'call_tool',
    notes: '',
    tool_call: { tool_id: 'react.write', params },
  };
  return {
    raw: `<channel:thinking>x</channel:thinking><channel:decision>${JSON.stringify(decision)}</channel:decision>`,
    chunk: 3,
  };
}

// proves: tools.ref-binding
test('content that names another text is shown as that text, never as the name', async () => {
  const replies = [
    write('outputs/a.md', 'refined # Hello'),
    write('outputs/b.md', 'ref:outputs/a.md'),
    { answer: 'Done.' },
  ];
  await using harness = await openHarness(replies, { tools: controlTools });
  await harness.say('Write it twice');
  const blocks = await harness.closed();
  const pages = blocks.filter(({ type }) => type === 'canvas');
  expect(pages.map(({ text }) => text)).toEqual(['refined # Hello', 'refined # Hello']);
  const shown = (await harness.frames()).flatMap((frame) =>
    frame.kind === 'delta' && frame.marker === 'canvas' ? [frame.text] : [],
  );
  expect(shown.join('')).toBe('refined # Hellorefined # Hello');
});
