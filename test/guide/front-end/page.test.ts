import { join } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { connect } from 'timeloom/client';
import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from '../library/with-operations.ts';
import { ask, Chat, tidy } from './page.ts';

test('a page asks, tidies up and draws a conversation', async () => {
  const model = [{ answer: 'On shelf 3.' }, { answer: 'Emma.' }];
  await using runtime = await openRuntime({
    bundle,
    dir: join(import.meta.dirname, '../library'),
    secrets: { BOX_KEY: 'click' },
    model,
  });
  const client = runtime.connect();
  const conversation = client.conversation();
  expect(await ask(conversation, 'Where is Emma?')).toBe('On shelf 3.');
  expect(await tidy(client)).toContain('Emma, again');
  expect(renderToStaticMarkup(createElement(Chat, { conversation }))).toBe('<ol></ol>');
  await using lost = connect({ url: 'http://127.0.0.1:1', timeoutMs: 10 });
  expect(await ask(lost.conversation(), 'Hello?')).toBe('The library cannot be reached.');
});
