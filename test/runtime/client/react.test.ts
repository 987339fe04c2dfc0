import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { type Conversation, connect } from '../../../runtime/client/index.ts';
import { type UsedConversation, useConversation } from '../../../runtime/client/react.ts';

function drawn(conversation: Conversation) {
  const seen: UsedConversation[] = [];
  function Chat() {
    const used = useConversation(conversation);
    seen.push(used);
    const [first] = used.turns;
    return createElement('p', null, `${used.status}: ${first?.prompt ?? 'nothing yet'}`);
  }
  return { html: renderToStaticMarkup(createElement(Chat)), seen };
}

// proves: client.react
test('on a server a conversation is empty and makes no request', async () => {
  await using client = connect({ url: 'http://127.0.0.1:9' });
  const asked: string[] = [];
  const conversation = client.conversation();
  const watched = new Proxy(conversation, {
    get: (target, name) => {
      asked.push(String(name));
      return Reflect.get(target, name, target);
    },
  });
  const { html, seen } = drawn(watched);
  expect(html).toBe('<p>offline: nothing yet</p>');
  expect(asked).toEqual([]);
  const { approvals, ...used } = seen[0] ?? drawn(conversation).seen[0] ?? {};
  expect(approvals).toEqual([]);
  expect(Object.keys(used)).toEqual([
    ...['status', 'turns', 'unsent', 'send', 'followup', 'steer', 'stop', 'event', 'decide'],
    ...['recall', 'discard', 'feedback'],
  ]);
});

// proves: client.reopen
test('a component that opens its conversation in each rendering gets the same one, and a conflict throws', async () => {
  await using client = connect({ url: 'http://127.0.0.1:9' });
  const seen: UsedConversation[] = [];
  function Chat({ agent }: { agent?: string }) {
    seen.push(useConversation(client.conversation('conv_a', { agent })));
    return null;
  }
  const render = (agent?: string) =>
    renderToStaticMarkup(createElement(Chat, agent === undefined ? {} : { agent }));
  // A page has drawn it, which follows it.
  expect(client.conversation('conv_a', { agent: 'clerk' }).state.turns).toEqual([]);
  render('clerk');
  render();
  expect(seen).toHaveLength(2);
  expect(() => render('boss')).toThrow(
    'conv_a is already open in this client with agent "clerk", so it cannot be opened with agent "boss"',
  );
});
