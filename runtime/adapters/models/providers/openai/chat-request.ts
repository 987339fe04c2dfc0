import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { ModelOffer, ModelRequest } from '../../../../engine/ports/model.ts';
import { alternating } from '../messages.ts';
import type { RejectedFeatures } from '../rejected-features.ts';
import { type MessageStyle, toChatMessages } from './chat-messages.ts';
import type { ServerProfile } from './server-profile.ts';

export type ChatServer = MessageStyle & {
  readonly model: string;
  readonly profile: ServerProfile;
  readonly features: RejectedFeatures;
};

/** The provider caches prefixes on its own, so cache marks are not sent. */
export function toChatBody(
  server: ChatServer,
  request: ModelRequest,
): ChatCompletionCreateParamsStreaming {
  const { model, features } = server;
  const { system, offer } = request;
  const style = styleOf(server);
  return {
    model,
    stream: true,
    ...(features.accepts('usage') ? { stream_options: { include_usage: true } } : {}),
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...alternating(request).flatMap((message) => toChatMessages(message, style)),
    ],
    ...limitsOf(server, request),
    ...toolsOf(offer, server),
    ...formatOf(server, request),
  };
}

function styleOf({ flavour, content, features }: ChatServer): MessageStyle {
  return {
    flavour,
    content: features.accepts('parts') ? content : 'string',
    textInResult: !features.accepts('textAfterResult'),
  };
}

/** The provider's own models choose their sampling and reject a temperature; others need it, and the older parameter name. */
function limitsOf({ flavour, features }: ChatServer, request: ModelRequest) {
  const { maxOutputTokens, temperature } = request;
  if (flavour === 'openai') return { max_completion_tokens: maxOutputTokens };
  return {
    max_tokens: maxOutputTokens,
    ...(features.accepts('temperature') ? { temperature } : {}),
  };
}

function formatOf({ profile, features }: ChatServer, { format }: ModelRequest) {
  if (format !== 'json' || !features.accepts('json')) return {};
  const schema = { name: 'reply', schema: { type: 'object' } };
  return profile.jsonFormat === 'json_schema'
    ? { response_format: { type: 'json_schema' as const, json_schema: schema } }
    : { response_format: { type: 'json_object' as const } };
}

type Tools = {
  tools?: ChatCompletionFunctionTool[];
  tool_choice?: ChatCompletionToolChoiceOption;
};

/** An empty list of tools is an error for the provider. */
function toolsOf(offer: ModelOffer | undefined, { profile, features }: ChatServer): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): ChatCompletionFunctionTool => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  );
  const canForce = profile.forcedChoice && features.accepts('forcedChoice');
  return { tools, tool_choice: toChoice(offer.choice, canForce) };
}

function toChoice(choice: ModelOffer['choice'], canForce: boolean): ChatCompletionToolChoiceOption {
  if (choice === 'auto' || choice === 'none') return choice;
  if (!canForce) return 'auto';
  return choice === 'required' ? choice : { type: 'function', function: { name: choice.tool } };
}
