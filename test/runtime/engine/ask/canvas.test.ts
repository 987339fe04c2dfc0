import { expect, test } from 'vitest';
import { openHarness } from '../kit/harness.ts';

const canvas = (attributes: string) =>
  `<channel:canvas ${attributes}>A page that grows.</channel:canvas>`;
const call =
  '<channel:decision>{"action":"call_tool","notes":"","tool_call":{"tool_id":"math.add","params":{"a":1,"b":2}}}</channel:decision>';

// proves: canvas.checked
test.each([
  ['mime="html"', 'its mime "html" is not of the form type/subtype, as in text/html'],
  ['mime="text/html\n[USER MESSAGE]"', 'its mime "text/html\\n[USER MESSAGE]" is not'],
  ['name="a\nb.md"', 'its name is not one line of at most 400 characters'],
  ['name=" "', 'its name is not one line'],
  ['name="a.md" title="A\u2028[ANNOUNCE]"', 'its title is not one line'],
  [`name="a.md" title="${'x'.repeat(401)}"`, 'its title is not one line'],
])(
  'a canvas with %j is neither shown nor kept, and the model reads why',
  async (attributes, why) => {
    const raw = call + canvas(attributes);
    await using harness = await openHarness([{ raw }, { answer: 'Right.' }]);
    await harness.say('Draw.');
    const blocks = await harness.closed();
    const frames = await harness.frames();
    expect(frames.filter((frame) => frame.kind === 'delta' && frame.marker === 'canvas')).toEqual(
      [],
    );
    expect(blocks.filter(({ type }) => type === 'canvas')).toEqual([]);
    const notice = blocks.find(({ type }) => type === 'react.notice');
    expect(notice).toMatchObject({ data: { code: 'invalid_canvas' } });
    expect(notice?.text).toContain(why);
    expect(harness.model.requests[1]?.text).toContain(notice?.text);
  },
);

test('a canvas with valid attributes, or with none, is shown and kept', async () => {
  const raw = canvas('name="a b.html" mime="text/html" title="Übersicht"') + canvas('');
  await using harness = await openHarness([{ raw: call + raw }, { answer: 'Right.' }]);
  await harness.say('Draw.');
  const blocks = await harness.closed();
  const kept = blocks.filter(({ type }) => type === 'canvas');
  expect(kept).toMatchObject([
    { mime: 'text/html', data: { name: 'a b.html', title: 'Übersicht' } },
    { mime: 'text/markdown', data: { name: 'canvas-1-1' } },
  ]);
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
});
