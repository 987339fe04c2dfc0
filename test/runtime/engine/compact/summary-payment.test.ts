import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { openHarness } from '../kit/harness.ts';

const overflow = { fault: { code: 'MODEL_CONTEXT_OVERFLOW' as const } };
const lamps = (count: number) =>
  Array.from({ length: count }, (_, n) => `Lamp ${n} is lit at ${n}.5 m.`).join('\n');

/** A conversation whose last prompt is too large for the provider, whatever we count. */
async function overflowing(answers: readonly string[], summary?: string) {
  const written = summary === undefined ? [] : [{ role: 'summary' as const, raw: summary }];
  const said = answers.map((answer) => ({ answer }));
  const harness = await openHarness([...said, overflow, ...written, { answer: 'Now.' }]);
  for (const [index, answer] of answers.entries()) {
    await harness.say(`Which lamps? ${answer}`);
    await harness.closed(index + 1);
  }
  await harness.say('And?');
  const blocks = await harness.closed(answers.length + 1);
  const summaries = harness.model.requests.filter(({ role }) => role === 'summary').length;
  return {
    harness,
    closed: dataOf(blocks, 'compact.close'),
    end: dataOf(blocks, 'turn.close'),
    summaries,
  };
}

// proves: compact.paid
test('no summary is requested for a compaction that cannot make the prompt smaller', async () => {
  const { harness, closed, summaries } = await overflowing(['Hello.']);
  await using _ = harness;
  expect(closed).toMatchObject({ status: 'skipped', reason: 'no_token_reduction' });
  expect(summaries).toBe(0);
});

// proves: compact.paid
test.each([10, 14, 18, 24, 40])(
  'a summary that was paid for is used, however long it is: turns of %i lines',
  async (lines) => {
    const { harness, closed, end, summaries } = await overflowing(
      [lamps(lines), lamps(lines)],
      `Active work: the lamps.\n${lamps(120)}`,
    );
    await using _ = harness;
    expect(summaries).toBe(1);
    expect(closed).toMatchObject({ status: 'completed', how: 'model' });
    expect(end).toMatchObject({ reason: 'completed', text: 'Now.' });
  },
);

function dataOf(blocks: readonly Block[], type: string): JsonObject | undefined {
  const data = blocks.findLast((block) => block.type === type)?.data;
  return isJsonObject(data) ? data : undefined;
}
