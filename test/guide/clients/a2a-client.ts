import { Role } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';

/** `agent`: the address of an agent. `contextId`: the conversation; empty for a new one. */
export async function askAgent(agent: string, contextId: string, show: (text: string) => void) {
  const client = await new ClientFactory().createFromUrl(`${agent}/`);
  const content = { $case: 'text' as const, value: 'Why is checkout slow?' };
  const message = {
    ...{ messageId: crypto.randomUUID(), contextId, taskId: '', role: Role.ROLE_USER },
    parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
  const request = { tenant: '', message, configuration: undefined, metadata: undefined };
  for await (const { payload } of client.sendMessageStream(request)) {
    if (payload?.$case !== 'artifactUpdate') continue;
    // The answer in pieces, and then as a whole; `append: false` replaces what was shown.
    const part = payload.value.artifact?.parts[0]?.content;
    if (part?.$case === 'text') show(part.value);
  }
}
