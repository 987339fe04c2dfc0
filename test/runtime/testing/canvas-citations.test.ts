import { expect, test } from 'vitest';
import { z } from 'zod';
import { DeltaStreams } from '../../../runtime/client/events/delta-streams.ts';
import type { ChatEvent, Conversation } from '../../../runtime/client/index.ts';
import { defineAgent, defineBundle, defineTool } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const hostile = '"><img src=x onerror=alert(1)>';
const find = defineTool({
  id: 'web.find',
  description: 'Finds pages.',
  input: z.object({}),
  run: async (_, ctx) => {
    await ctx.sources.add([
      { url: 'https://e.org/1', title: hostile },
      { url: 'javascript:alert(1)', title: 'Two' },
    ]);
    return {};
  },
});
const bundle = defineBundle({
  id: 'desk',
  version: '1',
  agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [find] })],
});

async function canvasIn(events: readonly ChatEvent[]): Promise<string> {
  const streams = new DeltaStreams();
  let text = '';
  for (const event of events) {
    const delta = streams.next(event);
    if (delta?.marker === 'canvas') text = text.slice(0, delta.offset) + delta.text;
  }
  return text;
}

async function eventsOf(conversation: Conversation): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of conversation.events()) {
    events.push(event);
    if (event.type === 'chat.complete') return events;
  }
  return events;
}

const name = '&#34;&#62;&#60;img src=x onerror=alert(1)&#62;';
const shown = {
  'text/html': `<p title="[[S:1]]">Rain<sup class="cite" data-sids="1"><a href="https://e.org/1" title="${name}">1</a></sup></p>`,
  'text/markdown': `Rain [${hostile.replace(/[<>]/g, '\\$&')}](https://e.org/1)`,
  'image/svg+xml': '<svg><text>[[S:1]]</text></svg>',
};
const written = {
  'text/html': '<p title="[[S:1]]">Rain[[S:1]]</p>',
  'text/markdown': 'Rain [[S:1]]',
  'image/svg+xml': '<svg><text>[[S:1]]</text></svg>',
};

// proves: canvas.citations
test.each(['text/html', 'text/markdown', 'image/svg+xml'] as const)(
  'a canvas of %s is the same while it streams and later, with links to its sources if it has any',
  async (mime) => {
    const text = written[mime];
    await using runtime = await openRuntime({
      bundle,
      model: [
        { call: { tool: 'web.find', input: {} } },
        { canvas: { name: 'page', mime, text }, answer: 'Done.', chunk: 3 },
      ],
    });
    const conversation = runtime.connect().conversation();
    const turn = await conversation.send('Draw.');
    const live = await eventsOf(conversation);
    const later = await eventsOf(runtime.connect().conversation(conversation.id));
    expect(live.some((event) => event.type === 'chat.delta')).toBe(true);
    expect(await canvasIn(live)).toBe(shown[mime]);
    expect(await canvasIn(later)).toBe(shown[mime]);
    const blocks = await turn.blocks();
    expect(blocks.find(({ type }) => type === 'canvas')?.text).toBe(text);
  },
);

/** What each stream of notes and timeline texts showed in the end. */
function textsIn(events: readonly ChatEvent[]): readonly string[] {
  const streams = new DeltaStreams();
  const texts = new Map<string, string>();
  for (const event of events) {
    const delta = streams.next(event);
    if (delta?.marker !== 'timeline_text') continue;
    const before = texts.get(delta.stream) ?? '';
    texts.set(delta.stream, before.slice(0, delta.offset) + delta.text);
  }
  return [...texts.values()];
}

// proves: canvas.citations
test('citations in notes and in texts of the timeline are links, while they stream and later', async () => {
  const input = { path: 'outputs/word.md', channel: 'timeline_text', content: 'Wet [[S:1]].' };
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'web.find', input: {} } },
      { call: { tool: 'web.find', input: {}, notes: 'Reading [[S:1]].' }, chunk: 3 },
      { call: { tool: 'react.write', input }, chunk: 3 },
      { answer: 'Done.' },
    ],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Tell.');
  const live = textsIn(await eventsOf(conversation));
  const later = textsIn(await eventsOf(runtime.connect().conversation(conversation.id)));
  const link = `[${hostile.replace(/[<>]/g, '\\$&')}](https://e.org/1).`;
  for (const texts of [live, later]) expect(texts).toEqual([`Reading ${link}`, `Wet ${link}`]);
  const written = (await turn.blocks()).filter(({ text }) => text?.includes('[[S:1]]'));
  expect(written.map(({ type }) => type)).toContain('react.notes');
});
