import { createElement } from 'react';
import { type Client, type Conversation, connect, Fault, Refusal } from 'timeloom/client';
import { useConversation } from 'timeloom/client/react';
import type { bundle } from '../library/with-operations.ts';

export async function dueOn(url: string, lent: string): Promise<string> {
  await using client = connect<typeof bundle>({ url });
  const { due } = await client.operation('library', 'due-on', { lent, weeks: 2 });
  return due;
}

export async function ask(conversation: Conversation, text: string): Promise<string> {
  try {
    const turn = await conversation.send(text);
    return (await turn.done()).text;
  } catch (error) {
    if (error instanceof Refusal) return `Not sent: ${error.message}`;
    if (error instanceof Fault) return 'The library cannot be reached.';
    throw error;
  }
}

export async function tidy(client: Client): Promise<readonly string[]> {
  const conversation = client.conversation();
  const turn = await conversation.send('Find Emma', { messageId: 'find_emma' });
  if ((await turn.recall()) === 'already_consumed') await turn.done();
  await conversation.rename('Emma');
  const copy = await conversation.fork();
  await copy.rename('Emma, again');
  await conversation.erase();
  return (await client.conversations()).items.map(({ title }) => title);
}

export function Chat({ conversation }: { conversation: Conversation }) {
  const { turns, status, stop } = useConversation(conversation);
  const lines = turns.map(({ id, prompt, answer }) =>
    createElement('li', { key: id }, `${prompt} ${answer}`),
  );
  const button =
    status === 'working' && createElement('button', { type: 'button', onClick: stop }, 'Stop');
  return createElement('ol', null, lines, button);
}
