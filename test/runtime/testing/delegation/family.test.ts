import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../../runtime/client/index.ts';
import { openRuntime, type TestRuntime } from '../../../../runtime/testing/index.ts';
import { ask, desk } from './delegate-kit.ts';
import { answerTo, dataOf, planCall, team } from './run-plan-kit.ts';

type Conversation = ReturnType<ReturnType<TestRuntime['connect']>['conversation']>;

/** The family's events up to the end of the turn of the conversation itself. */
async function followTurn(conversation: Conversation): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of conversation.events({ family: true })) {
    events.push(event);
    if (event.type === 'chat.complete' && event.conversationId === conversation.id) break;
  }
  return events;
}

function placeOf(events: readonly ChatEvent[], found: (event: ChatEvent) => boolean): number {
  const place = events.findIndex(found);
  expect(place).toBeGreaterThanOrEqual(0);
  return place;
}

const steps = [
  { id: 'north', task: 'Measure the north', agent: 'worker' },
  { id: 'south', task: 'Measure the south', agent: 'worker' },
  { id: 'sum', task: 'Add both', agent: 'worker', needs: ['north', 'south'] },
];
const model = [
  planCall(steps),
  answerTo('Measure the north', 'North is 3.'),
  answerTo('Measure the south', 'South is 4.'),
  { when: 'Add both', answer: 'Together 7.' },
  { answer: 'Seven.' },
];

// proves: delegate.family
test('one stream shows a conversation and all agents that work for it, each between its start and its end', async () => {
  await using runtime = await openRuntime({ bundle: team(), model });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('How much is it?');
  const events = await followTurn(conversation);
  const started = dataOf(await turn.blocks(), 'agent.call');
  expect(started).toHaveLength(3);
  for (const { conversation: child, step } of started) {
    const stepIs = (event: ChatEvent, type: string) =>
      event.type === 'chat.step' &&
      event.event.step === type &&
      Object(event.data)['step'] === step;
    const own = (event: ChatEvent) => event.conversationId === child;
    const first = placeOf(events, own);
    const last = placeOf(events, (event) => own(event) && event.type === 'chat.complete');
    expect(first).toBeGreaterThan(placeOf(events, (event) => stepIs(event, 'agent.call')));
    expect(last).toBeLessThan(placeOf(events, (event) => stepIs(event, 'agent.result')));
  }
  const texts = events.flatMap((event) => (event.type === 'chat.complete' ? event.data.text : []));
  expect(texts.toSorted()).toEqual(['North is 3.', 'Seven.', 'South is 4.', 'Together 7.']);
  expect(
    new Set(events.map(({ conversationId, cursor }) => `${conversationId} ${cursor}`)).size,
  ).toBe(events.length);
});

// proves: delegate.family
test('who follows later sees the same family from its beginning', async () => {
  await using runtime = await openRuntime({ bundle: team(), model });
  const conversation = runtime.connect().conversation();
  await (await conversation.send('How much is it?')).done();
  const later = runtime.connect().conversation(conversation.id);
  const ends = (await followTurn(later)).filter(({ type }) => type === 'chat.complete');
  expect(ends).toHaveLength(4);
  expect(ends.at(-1)?.conversationId).toBe(conversation.id);
});

// proves: delegate.family
test('an agent that works on a delegated call is in the family, and a stop ends both', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [ask, { thinking: 'A long search', hold: 'searching' }],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('How high is Ortler?');
  const following = followTurn(conversation);
  await runtime.model.held('searching');
  await turn.stop();
  const ends = (await following).flatMap((event) =>
    event.type === 'chat.complete' ? event.data.reason : [],
  );
  expect(ends).toEqual(['interrupted', 'interrupted']);
});

// proves: delegate.family
test('a family ends with its signal', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [ask, { thinking: 'A long search', hold: 'searching' }],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('How high is Ortler?');
  const stop = new AbortController();
  const follow = async () => {
    for await (const _ of conversation.events({ family: true, signal: stop.signal }));
  };
  const following = follow();
  await runtime.model.held('searching');
  stop.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
  await turn.stop();
  await turn.done();
});
