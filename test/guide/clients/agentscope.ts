import { watch } from './watch.ts';

/** The messages of every agent on the stream, by id: a later frame with the same id replaces the message. */
export async function printMessages(address: string, agent: string) {
  const messages = new Map<string, unknown>();
  for await (const { event, data } of watch(address, 'agentscope')) {
    if (event === 'end' && data['name'] === agent) break;
    const { message } = data as { message?: { id: string } };
    if (message !== undefined) messages.set(message.id, message);
  }
  return messages;
}
