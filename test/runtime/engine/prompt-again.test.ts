import { expect, test } from 'vitest';
import { z } from 'zod';
import type { BlobStore } from '../../../runtime/timeline/blobs.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold.ts';
import { render } from '../../../runtime/timeline/render.ts';
import { controlTools } from '../../../runtime/tools/react/control-tools.ts';
import { add, openDesk } from './desk.ts';

const Opened = z.object({
  as_of: z.number(),
  hashes: z.object({ system: z.string(), announce: z.string() }),
});

const replies = [
  {
    thinking: 'A plan first.',
    call: { tool: 'react.plan', input: { mode: 'new', steps: ['add', 'answer'] } },
  },
  { thinking: 'Now add.', call: { tool: 'math.add', input: { a: 2, b: 3 } }, hold: 'adding' },
  { raw: 'no channel at all' },
  { answer: 'It is 5, and 5.', summary: 'Goal: add. Outcome: 5.' },
  { answer: 'It was 5.' },
];

// proves: i1.prompt-again
test('every prompt that a model was sent is made again from the log and the kept bytes, long after', async () => {
  await using desk = await openDesk(replies, { tools: [add, ...controlTools] });
  await desk.say('What is 2 + 3?');
  await desk.model.held('adding');
  await desk.say('and 3 + 2?', { kind: 'followup' });
  desk.model.release('adding');
  await desk.closed(1);
  await desk.say('What was it?');
  const blocks = await desk.closed(2);
  const rounds = blocks.filter(({ type }) => type === 'round.open');
  const again = await Promise.all(
    rounds.map((round) => promptOf(round, { blocks, blobs: desk.engine.blobs })),
  );
  expect(again).toHaveLength(replies.length);
  expect(again).toEqual(desk.model.requests.map(({ text }) => text));
});

/** What the model was sent in a round, from what anybody can read today. */
async function promptOf(
  round: Block,
  { blocks, blobs }: { blocks: readonly Block[]; blobs: BlobStore },
): Promise<string> {
  const { as_of: asOf, hashes } = Opened.parse(round.data);
  const signal = new AbortController().signal;
  const kept = async (hash: string) =>
    new TextDecoder().decode(await blobs.get('dev', hash, { signal }));
  const { parts } = render(foldAll(emptyView, blocks), {
    asOf,
    announce: await kept(hashes.announce),
  });
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''));
  return [await kept(hashes.system), ...texts].join('\n');
}
