import { expect, test } from 'vitest';
import { refuse } from '../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';
import { bundleWith, call, done, ended, type House, seen } from './hooks-kit.ts';

test('a refused answer goes back to the model and is not shown', async () => {
  const hook: House = {
    guard: {
      completion: ({ text }) =>
        text.includes('a secret number') ? refuse('private', 'No phone numbers.') : undefined,
    },
    transform: { completion: ({ text }) => ({ text: text.replaceAll('Ann', 'A.') }) },
  };
  const model = [{ answer: 'Ann has a secret number.' }, { answer: 'Ann has a phone.' }];
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Go');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'A. has a phone.' });
  const shown: string[] = [];
  for await (const event of conversation.events()) {
    shown.push(JSON.stringify(event));
    if (event.type === 'chat.complete') break;
  }
  expect(shown.join('\n')).not.toMatch(/a secret number|Ann has/);
  expect(runtime.model.requests[1]?.text).toMatch(
    /“Ann has a secret number\.” was not delivered: .*you may tell the user why\. The rule: No phone numbers\./,
  );
  await ended.promise;
  expect(outline(seen, 'assistant', 'react.notice')).toEqual([
    'react.notice completion_refused',
    'assistant.completion',
  ]);
});

test('repeatedly refused answers end the turn, and none is shown', async () => {
  const hook: House = { guard: { completion: () => refuse('never', 'Never.') } };
  const model = [{ answer: 'One.' }, { answer: 'Two.' }, { answer: 'Three.' }];
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model });
  const turn = await runtime.send('Go');
  expect(await turn.done()).toMatchObject({
    reason: 'failed',
    text: '',
    error: { code: 'COMPLETION_REFUSED', message: 'never: Never.' },
  });
});

test('hooks refuse or transform an event before it is accepted; a stop runs no hooks', async () => {
  const hook: House = {
    guard: {
      event: ({ text }) =>
        text?.includes('secret') || text === '' ? refuse('secret', 'Not here.') : undefined,
    },
    transform: {
      event: (event) =>
        event.kind === 'alert'
          ? { ...event, payload: { n: 8 } }
          : { ...event, text: event.text?.trim() ?? '' },
    },
  };
  const model = [{ thinking: 'long', hold: 'here' }, done];
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  await expect(conversation.send('a secret')).rejects.toMatchObject({ code: 'secret' });
  const turn = await conversation.send('  Go  ');
  await runtime.model.held('here');
  await conversation.event('alert', { n: 7 });
  await turn.stop();
  expect((await turn.done()).reason).toBe('interrupted');
  const texts = (await turn.blocks())
    .filter(({ author }) => author === 'user')
    .map(({ text }) => text);
  expect(texts).toEqual(['Go', 'ALERT 8', '']);
});

test('output that a guard of emit refuses is not shown', async () => {
  const hook: House = {
    guard: {
      emit: ({ data }) => (JSON.stringify(data).includes('Ann') ? refuse('no', 'No.') : undefined),
    },
  };
  const bob = { call: { tool: 'crm.find', input: { name: 'Bob' } } };
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model: [call, bob, done] });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  await (await conversation.send('Go')).done();
  const shown: string[] = [];
  for await (const event of conversation.events()) {
    const said = JSON.stringify(event);
    if (said.includes('crm.seen')) shown.push(said);
    if (event.type === 'chat.complete') break;
  }
  expect(shown).toEqual([expect.stringContaining('Bob')]);
});

test('observers see every block of a turn once, in order, and an error in one has no effect', async () => {
  const hook: House = {
    observe: {
      block: () => {
        throw new Error('observers are not trusted');
      },
    },
  };
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model: [call, done] });
  const turn = await runtime.send('Go');
  expect((await turn.done()).text).toBe('Done.');
  await ended.promise;
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, n) => n + 1));
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['user.prompt', 'model.call']),
  );
});
