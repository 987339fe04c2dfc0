import {
  asSchema,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import { expect, test } from 'vitest';
import { aiSdk } from '../../../../runtime/gateway/projections/ai-sdk/ai-sdk.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const names = Object.keys(corpus);

function chunksOf(name: string): readonly UIMessageChunk[] {
  return framesOf(aiSdk().open, name).map(({ data }) => JSON.parse(data) as UIMessageChunk);
}

/** The message that a client shows in the end. */
async function messageOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = streamOf(chunks.filter(({ type }) => type !== 'error'));
  for await (const message of readUIMessageStream({ stream, terminateOnError: true }))
    last = message;
  return last;
}

// proves: endpoints.ai-sdk
test('every turn of the corpus has its recorded frames', () =>
  expectGolden('ai-sdk', aiSdk().open));

// proves: endpoints.ai-sdk
test.each(names)(
  '%s: every chunk and the message are valid, by the validators of the AI SDK',
  async (name) => {
    const chunks = chunksOf(name);
    for (const value of chunks) {
      const checked = await asSchema(uiMessageChunkSchema).validate?.(value);
      expect([value, checked?.success]).toEqual([value, true]);
    }
    const message = await messageOf(chunks);
    const checked = await safeValidateUIMessages({ messages: [message] });
    expect(checked).toMatchObject({ success: true });
    expect(message?.parts.filter((part) => 'state' in part && part.state === 'streaming')).toEqual(
      [],
    );
  },
);

test.each([
  ['plain answer', 'It is 3.'],
  ['a retried generation', 'It is 3.'],
  ['a takeover', 'It is 3.'],
  ['a canvas and sources', 'It rains [Climate normals](https://example.org/normals) a lot.'],
])('%s: the message has the answer and nothing that was discarded', async (name, answer) => {
  const message = await messageOf(chunksOf(name));
  const texts = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  expect(texts).toEqual([answer]);
});

function streamOf<T>(items: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}
