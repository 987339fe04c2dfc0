import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** `address`: of an endpoint of a bundle. With tokens: `requestInit: { headers: { Authorization: 'Bearer …' } }` of the transport. */
export async function useBundle(address: string) {
  const client = new Client({ name: 'desk', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const { tools } = await client.listTools();
  const sum = await client.callTool({ name: 'math.add', arguments: { a: 1, b: 2 } });
  const answer = await client.callTool({ name: 'main', arguments: { prompt: 'What is new?' } });
  const filled = { reader: 'Ann', language: 'English' };
  const { messages } = await client.getPrompt({ name: 'letter', arguments: filled });
  await client.close();
  return { tools, sum, answer, messages };
}
