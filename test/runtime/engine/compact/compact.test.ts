import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { readPageMax } from '../../../../runtime/engine/limits.ts';
import type { ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const small = { context: { ...agentDefaults.context, maxTokens: 17_000 } };
const long = 'The harbour was quiet and the lamps were lit one by one. '.repeat(24);
const thrice = long.repeat(3);
const summary = {
  role: 'summary' as const,
  raw: 'Active work: the harbour. Decisions: lamps are lit one by one, as the town asked. Next: wait.',
};
const answers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ answer: `${n} ${long}` }));

/** A harness with little room left: one more long message exceeds it. */
async function fullHarness(
  replies: Parameters<typeof openHarness>[0],
  more: Parameters<typeof openHarness>[1] = {},
) {
  const long = { answer: thrice };
  const harness = await openHarness([long, long, long, ...replies], { agent: small, ...more });
  for (let turn = 1; turn <= 3; turn += 1) {
    await harness.say(`${turn} ${thrice}`);
    await harness.closed(turn);
  }
  await harness.idle();
  return harness;
}

test('a worker that takes over a long conversation reads from its window on', async () => {
  await using harness = await fullHarness([{ answer: 'Yes.' }, { answer: 'Still.' }]);
  await harness.say(`And? ${long.repeat(5)}`);
  await harness.closed(4);
  await harness.idle();
  const after: number[] = [];
  const { store } = harness.engine;
  const read = store.read.bind(store);
  store.read = (key, options) => {
    if (options.limit === readPageMax) after.push(options.after);
    return read(key, options);
  };
  await harness.say('And still?');
  const blocks = await harness.closed(5);
  const [compacted] = of(blocks, 'view.compact');
  expect(after[0]).toBe(Number(compacted?.['window']) - 1);
  const prompt = harness.model.requests.at(-1)?.text ?? '';
  expect(prompt).toContain('[COMPACTED PRIOR CONVERSATION MEMORY]');
  expect(prompt).toContain('And still?');
});

// proves: compact.overflow
test('a prompt that is too large for the provider is compacted once and retried', async () => {
  const overflow = { fault: { code: 'MODEL_CONTEXT_OVERFLOW' as const } };
  await using harness = await openHarness([...answers(3), overflow, summary, { answer: 'Now.' }]);
  for (let turn = 1; turn <= 3; turn += 1) {
    await harness.say(`${turn} ${long}`);
    await harness.closed(turn);
  }
  await harness.say('And?');
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.open')).toMatchObject([{ cause: 'overflow', forced: true }]);
  expect(of(blocks, 'turn.close').at(-1)).toMatchObject({ reason: 'completed', text: 'Now.' });
  expect(verify(blocks)).toEqual([]);
});

test('a second overflow ends the turn with its reason, and so does one where nothing can be removed', async () => {
  const overflow = { fault: { code: 'MODEL_CONTEXT_OVERFLOW' as const } };
  await using harness = await openHarness([
    ...answers(2),
    overflow,
    overflow,
    overflow,
    { answer: 'No.' },
  ]);
  for (let turn = 1; turn <= 2; turn += 1) {
    await harness.say(`${turn} ${long}`);
    await harness.closed(turn);
  }
  await harness.say('And?');
  const failed = { reason: 'failed', error: { code: 'MODEL_CONTEXT_OVERFLOW' } };
  expect(of(await harness.closed(3), 'turn.close').at(-1)).toMatchObject(failed);
  expect(of(await harness.blocks(), 'compact.open')).toHaveLength(1);
  await using alone = await openHarness([overflow]);
  await alone.say('Alone');
  const blocks = await alone.closed();
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'skipped' }]);
  expect(of(blocks, 'turn.close')).toMatchObject([failed]);
});

// proves: compact.extract
test.each([
  ['nothing', { role: 'summary' as const, raw: ' ' }],
  ['too little', { role: 'summary' as const, raw: 'ok' }],
  ['one endless word', { role: 'summary' as const, raw: 'long'.repeat(6_000) }],
  [
    'the next decision',
    {
      ...summary,
      raw: `<channel:thinking>${summary.raw}</channel:thinking>\n<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"The lamps are lit."}</channel:ReactDecisionOutV2>`,
    },
  ],
  ['half of it', { ...summary, finish: 'length' as const }],
  ['an error', { role: 'summary' as const, fault: { code: 'MODEL_OVERLOADED' as const } }],
])('a summary model that answers with %s is not used', async (_, reply) => {
  await using harness = await fullHarness([reply, { answer: 'Yes.' }]);
  await harness.say(`And? ${long.repeat(5)}`);
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'completed', how: 'extract' }]);
  expect(of(blocks, 'turn.close').at(-1)).toMatchObject({ text: 'Yes.' });
  expect(text(blocks, 'view.compact')).toContain('Asked: ');
});

test('a summary in its channel is used without the tags', async () => {
  const raw = `<channel:summary>${summary.raw}</channel:summary>`;
  await using harness = await fullHarness([{ ...summary, raw }, { answer: 'Yes.' }]);
  await harness.say(`And? ${long.repeat(5)}`);
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'completed', how: 'model' }]);
  const memory = text(blocks, 'view.compact');
  expect(memory).toContain(`\n${summary.raw}\n`);
  expect(memory).not.toContain('<channel:');
});

test('a summary that is too long is cut to the available room, and its model knew the limit', async () => {
  const facts = Array.from({ length: 200 }, (_, n) => `Lamp ${n} is lit at ${n}.5 m.\n`).join('');
  const raw = `Active work: the harbour.\n${facts}`;
  await using harness = await fullHarness([{ role: 'summary', raw }, { answer: 'Yes.' }]);
  const asked: ModelRequest[] = [];
  const stream = harness.model.stream.bind(harness.model);
  harness.model.stream = (request, options) => {
    if (request.role === 'summary') asked.push(request);
    return stream(request, options);
  };
  await harness.say(`And? ${long.repeat(5)}`);
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'completed', how: 'model' }]);
  const memory = text(blocks, 'view.compact');
  expect(memory).toContain('Active work: the harbour.\nLamp 0 is lit at 0.5 m.\nLamp 1 ');
  expect(memory).toContain('m.\n…\n');
  expect(memory).not.toContain('Lamp 199 ');
  const [{ system = '', maxOutputTokens = 0 } = {}] = asked;
  const chars = Number(/at most (\d+) characters/.exec(system)?.[1]);
  expect(maxOutputTokens).toBeGreaterThan(chars / 2);
});

// proves: compact.notes
test('a summary model gets the notes that will accompany its text, those of the previous memory included', async () => {
  const rule = '[P] "Always in Fahrenheit."';
  const noted = { answer: thrice, internal: rule };
  const full = { answer: thrice };
  const replies = [noted, ...Array.from({ length: 9 }, () => [summary, full]).flat()];
  await using harness = await openHarness(replies, { agent: small });
  for (let turn = 1; turn <= 9; turn += 1) {
    await harness.say(`${turn} ${thrice}`);
    await harness.closed(turn);
  }
  const asked = harness.model.requests.filter(({ role }) => role === 'summary');
  expect(asked.length).toBeGreaterThan(1);
  for (const { text: sent } of asked) {
    expect(sent).toContain(`Notes that stand below your text:\n- ${rule}\n\n`);
  }
  expect(text(await harness.blocks(), 'view.compact')).toContain(`DIGEST:\n- ${rule}\n`);
});

// proves: compact.usage
test('the cost of a summary is on the turn that needed it', async () => {
  await using harness = await fullHarness([summary, { answer: 'Yes.' }]);
  await harness.say(`And? ${long.repeat(5)}`);
  const blocks = await harness.closed(4);
  const calls = of(blocks, 'model.call').slice(-2);
  expect(calls[0]).toMatchObject({ role: 'summary' });
  const sum = calls.reduce(
    (total, { usage }) => total + Number((usage as JsonObject)['output_tokens']),
    0,
  );
  expect(of(blocks, 'turn.close').at(-1)).toMatchObject({ usage: { output_tokens: sum } });
});

// proves: compact.goes-on
test('events that arrive while a summary is made are in the next prompt', async () => {
  await using harness = await fullHarness([{ ...summary, hold: 'summing' }, { answer: 'Both.' }]);
  await harness.say(`One thing ${long.repeat(5)}`);
  await harness.model.held('summing');
  const joined = await harness.say('and another', { kind: 'followup' });
  expect(joined.status).toBe('queued');
  harness.model.release('summing');
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'completed', how: 'model' }]);
  expect(harness.model.requests.at(-1)?.text).toContain('and another');
  expect(blocks.filter(({ type }) => type === 'assistant.completion')).toHaveLength(4);
  expect(verify(blocks)).toEqual([]);
});

// proves: compact.steer
test('a steer stops the summary, not the turn', async () => {
  await using harness = await fullHarness([
    { ...summary, hold: 'summing' },
    { answer: 'Only this.' },
  ]);
  await harness.say(`Everything ${long.repeat(5)}`);
  await harness.model.held('summing');
  await harness.say('only this', { kind: 'steer' });
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([{ status: 'completed', how: 'extract' }]);
  expect(harness.model.requests.at(-1)?.text).toContain('only this');
  expect(of(blocks, 'turn.close').at(-1)).toMatchObject({
    reason: 'completed',
    text: 'Only this.',
  });
});

// proves: compact.recovery
test('the next owner ends a compaction whose owner was lost, and repeats it', async () => {
  await using harness = await fullHarness([
    { ...summary, hold: 'summing' },
    summary,
    { answer: 'Yes.' },
  ]);
  const { key = toConversationKey(0) } = await harness.say(`And? ${long.repeat(5)}`);
  await harness.model.held('summing');
  const { store, bus } = harness.engine;
  const { signal } = new AbortController();
  const row = await store.find({ tenant: 'dev', project: 'dev' }, 'conv_test', { signal });
  expect(row?.openTurn).toBeDefined();
  for (let fence = 1; fence < 40; fence += 1) await store.release(key, { fence, signal });
  const thief = await store.acquire(key, { worker: 'thief', ttlMs: 60_000, signal });
  harness.model.release('summing');
  await harness.idle();
  expect(of(await harness.blocks(), 'view.compact')).toEqual([]);
  await store.release(key, { fence: thief?.fence ?? 0, signal });
  bus.wake(key);
  const blocks = await harness.closed(4);
  expect(of(blocks, 'compact.close')).toMatchObject([
    { status: 'error', reason: 'interrupted' },
    { status: 'completed', how: 'model' },
  ]);
  expect(of(blocks, 'view.compact')).toHaveLength(1);
  expect(verify(blocks)).toEqual([]);
});

test('an invented path in a summary is marked, a real one stays', async () => {
  await using harness = await fullHarness([]);
  const first = (await harness.blocks())[0]?.turn ?? '';
  const raw = `${summary.raw} See ar:${first}.user.prompt and tc:${first}.tc_none.result.`;
  await using second = await fullHarness([{ role: 'summary', raw }, { answer: 'Yes.' }]);
  await second.say(`And? ${long.repeat(5)}`);
  const made = text(await second.closed(4), 'view.compact');
  expect(made).toContain('See (no such path) and (no such path).');
});

function of(blocks: readonly Block[], type: string): readonly JsonObject[] {
  return blocks.flatMap((block) =>
    block.type === type && isJsonObject(block.data) ? [block.data] : [],
  );
}

function text(blocks: readonly Block[], type: string): string {
  return blocks.findLast((block) => block.type === type)?.text ?? '';
}
