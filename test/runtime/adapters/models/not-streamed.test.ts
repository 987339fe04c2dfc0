import { expect, test } from 'vitest';
import { assertStreamed } from '../../../../runtime/adapters/models/providers/not-streamed.ts';

const headers = { 'Content-Type': 'application/json' };

/** A body that never ends: the first piece, then `rest` for each further read; without it nothing more comes. */
function endless(first: string, rest?: string): Response {
  const bytes = new TextEncoder();
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isFirst) controller.enqueue(bytes.encode(first));
      else if (rest === undefined) return new Promise<void>(() => undefined);
      else controller.enqueue(bytes.encode(rest));
      isFirst = false;
      return undefined;
    },
  });
  return new Response(body, { headers });
}

// proves: models.not-streamed
test('a stream of events under the type of JSON is read as it comes', async () => {
  const response = endless('\n event: message_start\n');
  await assertStreamed(response);
  const read = await response.body?.getReader().read();
  expect(new TextDecoder().decode(read?.value)).toContain('message_start');
});

// proves: models.not-streamed
test('JSON without an end is read to a limit', async () => {
  await expect(assertStreamed(endless('{"a":"', 'x'.repeat(10_000)))).rejects.toMatchObject({
    code: 'MODEL_NOT_STREAMED',
  });
});
