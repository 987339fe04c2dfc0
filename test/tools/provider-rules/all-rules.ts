import { toCallOptions } from '../../../runtime/adapters/models/providers/ai-sdk/ai-sdk-request.ts';
import { toMessagesBody } from '../../../runtime/adapters/models/providers/anthropic/anthropic-request.ts';
import { withLegalThinking } from '../../../runtime/adapters/models/providers/anthropic/legal-thinking.ts';
import { toChatBody } from '../../../runtime/adapters/models/providers/openai/chat-request.ts';
import { toResponsesBody } from '../../../runtime/adapters/models/providers/openai/responses-request.ts';
import { profileOf } from '../../../runtime/adapters/models/providers/openai/server-profile.ts';
import { RejectedFeatures } from '../../../runtime/adapters/models/providers/rejected-features.ts';
import type { PromptContent } from '../../../runtime/engine/perform/ask/prompt-content.ts';
import type { ModelRequest } from '../../../runtime/engine/ports/model.ts';
import { faultsInAiSdk } from './ai-sdk-rules.ts';
import { faultsInAnthropic } from './anthropic-rules.ts';
import { faultsInChat } from './chat-rules.ts';
import { faultsInGoogle, googleContents } from './google-rules.ts';
import { faultsInResponses } from './responses-rules.ts';

const server = { model: 'm', features: new RejectedFeatures() };
const chat = { ...server, profile: profileOf(undefined, undefined), content: 'parts' } as const;
const thinking = { type: 'enabled', budget_tokens: 50 } as const;

function requestOf(content: PromptContent): ModelRequest {
  return {
    ...{ role: 'decision', system: 'You act.', maxOutputTokens: 100, temperature: 0 },
    ...content,
    offer: { tools: [{ name: 'a__b', description: '', schema: {} }], choice: 'auto' },
  };
}

/** What the providers reject in a request with this prompt, in the wire form of each of them. */
export function faultsInRequests(content: PromptContent): readonly string[] {
  const request = requestOf(content);
  const compatible = { ...chat, flavour: 'openai-compatible', content: 'string' } as const;
  const messages = toMessagesBody(server, request);
  return [
    ...faultsInAnthropic(messages),
    ...faultsInAnthropic(withLegalThinking({ ...messages, thinking })),
    ...faultsInChat(toChatBody({ ...chat, flavour: 'openai' }, request)),
    ...faultsInChat(toChatBody(compatible, request)),
    ...faultsInResponses(toInput(toResponsesBody({ ...server, flavour: 'openai' }, request).input)),
    ...faultsInAiSdk(toCallOptions(request, { provider: 'google' }).prompt),
  ];
}

/** The same for Gemini, whose form on the wire is made by a package of the AI SDK. */
export async function faultsInGoogleRequest(content: PromptContent): Promise<readonly string[]> {
  return faultsInGoogle(await googleContents(requestOf(content)));
}

function toInput(input: ReturnType<typeof toResponsesBody>['input']) {
  return typeof input === 'object' ? input : [];
}
