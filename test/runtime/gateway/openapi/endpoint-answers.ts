import type { GatewayDeps } from '../../../../runtime/gateway/ports/gateway-deps.ts';
import { signal } from '../stage.ts';
import { askLangGraph, langGraphWaits } from './langgraph-answers.ts';
import { askOpenAi } from './openai-answers.ts';

type Ask = Parameters<typeof askOpenAi>[0];

/** Asks for everything of the endpoints of other protocols that is not streamed. */
export async function askEndpoints(ask: Ask): Promise<void> {
  for (const prefix of ['/v1', '/api/openai/dev/dev/v1']) await askOpenAi(ask, prefix);
  for (const prefix of ['', '/api/langgraph/dev/dev']) await askLangGraph(ask, prefix);
  for (const agent of ['main', 'desk/main']) {
    await ask('GET', `/api/a2a/dev/dev/${agent}/.well-known/agent-card.json`);
  }
}

/** Asks for the facts of the user, of whom there is one. */
export async function askMemory({ memory, scope }: GatewayDeps, ask: Ask): Promise<void> {
  const owner = { ...scope, user: 'dev', agent: 'desk/main' };
  const content = { facts: ['The user sings'] };
  const recording = { owner, scope: 'user', op: 'turn', conversation: 'conv_b', content } as const;
  const [fact] = (await memory?.record(recording, { signal })) ?? [];
  await ask('GET', '/api/me/memory');
  await ask('DELETE', `/api/me/memory/${fact?.id}`);
  await ask('DELETE', '/api/me/memory?conversation_id=conv_b');
}

/** Operations that need a worker, or that other tests ask for. */
export const elsewhere: readonly string[] = [
  ...['cancelResponse', 'cancelResponseOfProject', ...langGraphWaits],
  ...['getPublicOperation', 'postSurfaceUpdate', 'getWidget', 'tryTool', 'endMcpSession'],
  ...['signIn', 'finishSignIn', 'renewSession', 'getResourceMetadata', 'getMcpResourceMetadata'],
];
