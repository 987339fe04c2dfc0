import OpenAI from 'openai';

/** The address of the server, and a token as API key; with dev authentication any key will do. */
export function createClient(url: string, token = 'any'): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
}

export async function ask(openai: OpenAI, show: (text: string) => void): Promise<string> {
  const { data: stream, response } = await openai.chat.completions
    .create({
      model: 'bar/main',
      messages: [{ role: 'user', content: 'What is on the list?' }],
      stream: true,
    })
    .withResponse();
  for await (const chunk of stream) show(chunk.choices[0]?.delta.content ?? '');
  // Send it with the next message to go on with the same conversation.
  return response.headers.get('x-timeloom-conversation') ?? '';
}

export async function follow(openai: OpenAI, show: (text: string) => void): Promise<void> {
  const request = { model: 'bar/main', input: 'Write the list.', background: true } as const;
  const { id } = await openai.responses.create(request);
  // The turn goes on without this process. Later, or elsewhere, after any event:
  const stream = await openai.responses.retrieve(id, { stream: true, starting_after: 0 });
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') show(event.delta);
  }
}
