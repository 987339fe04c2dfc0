import { expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { clientFromHost, hostOfWidget } from '../../../runtime/client/widgets/widget-host.ts';
import { openStage } from '../gateway/stage.ts';

// proves: page.earlier
test('a widget uses the client of its page and leaves it open', async () => {
  await using owned = new Scope();
  const stage = owned.own(await openStage());
  const client = owned.own(connect({ url: stage.gateway.url }));
  const frames: unknown[] = [];
  const widget = clientFromHost({
    client,
    canvas: (frame) => {
      frames.push(frame);
      return undefined;
    },
  });
  const conversation = widget.conversation('conv_a');
  const turn = await conversation.send('Hello');
  expect(conversation.id).toBe('conv_a');
  expect(client.conversation('conv_a').state.turns).toMatchObject([{ id: turn.id }]);
  expect(conversation.state).toBe(client.conversation('conv_a').state);
  expect(conversation.hasEarlier).toBe(false);
  await expect(conversation.earlier(1)).rejects.toMatchObject({ code: 'not_supported' });
  await expect(widget.canvas()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'invalid_input',
  });
  expect(frames).toEqual([undefined]);
  await widget[Symbol.asyncDispose]();
  await client.conversation('conv_a').followup('and more');
});

test('outside a page a widget has no host', () => {
  expect(hostOfWidget()).toBeUndefined();
});
