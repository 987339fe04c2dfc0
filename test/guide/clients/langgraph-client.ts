import { Client } from '@langchain/langgraph-sdk';

/** With tokens, `apiKey` is the token. */
export async function runThread(apiUrl: string, show: (state: unknown) => void): Promise<string> {
  const client = new Client({ apiUrl, apiKey: null });
  const { thread_id } = await client.threads.create();
  const stream = client.runs.stream(thread_id, 'desk/main', {
    input: { messages: [{ type: 'human', content: 'Why is checkout slow?' }] },
    streamMode: ['values', 'messages-tuple'],
  });
  for await (const { event, data } of stream) if (event === 'values') show(data);
  return thread_id;
}
