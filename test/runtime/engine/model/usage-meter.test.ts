import { expect, test } from 'vitest';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { UsageMeter } from '../../../../runtime/engine/model/usage-meter.ts';

const model = createScriptedModel([], { id: 'scripted:test' });
const read = { inputTokens: 7, outputTokens: 1, cacheReadTokens: 900, cacheWriteTokens: 50 };
const text = (text: string) => ({ kind: 'text', text }) as const;

// proves: budget.cut
test("an interrupted answer is metered by its provider's report and the text that was received", () => {
  const meter = new UsageMeter(model, () => 40);
  expect(meter.metered).toBeUndefined();
  meter.take({ kind: 'begun', usage: read, model: 'claude' });
  expect(meter.metered).toEqual({
    ...{ usage: read, model: 'claude' },
    ...{ finish: 'interrupted', estimated: false },
  });
  meter.take({ kind: 'reasoning', text: 'two ' });
  meter.take(text('more words'));
  expect(meter.metered?.usage).toEqual({ ...read, outputTokens: 3 });
  const usage = { ...read, outputTokens: 30 };
  meter.take({ kind: 'done', finish: 'stop', usage, model: 'claude' });
  expect(meter.metered).toMatchObject({ usage, finish: 'stop', estimated: false });
});

// proves: budget.cut
test('without a report of the provider the prompt is counted too and marked as an estimate', () => {
  const meter = new UsageMeter(model, () => 40);
  meter.take(text('three short words'));
  const usage = { inputTokens: 40, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(meter.metered).toMatchObject({ usage, model: 'scripted:test', estimated: true });
});

// proves: budget.cut
test('the usage of a server that reports none is counted', () => {
  const meter = new UsageMeter(model, () => 40);
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  meter.take(text('three short words'));
  meter.take({ kind: 'done', finish: 'stop', usage: none, model: 'qwen' });
  expect(meter.metered).toMatchObject({
    ...{ usage: { ...none, inputTokens: 40, outputTokens: 3 }, model: 'qwen', finish: 'stop' },
    estimated: true,
  });
});
