import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { ModelOffer, ModelRequest, PromptPart } from '../../../engine/ports/model.ts';

/** `openai-compatible`: another server with the same API, in its older form. */
export type Flavour = 'openai' | 'openai-compatible';

/** The provider caches prefixes on its own, so cache marks are not sent. */
export function toChatBody(
  { model, flavour }: { readonly model: string; readonly flavour: Flavour },
  request: ModelRequest,
): ChatCompletionCreateParamsStreaming {
  const { system, parts, maxOutputTokens, temperature, offer, format } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: parts.map((part) => toPart(part, flavour)) },
    ],
    // The provider's own models choose their sampling and reject a temperature; others need it, and the older parameter name.
    ...(flavour === 'openai'
      ? { max_completion_tokens: maxOutputTokens }
      : { max_tokens: maxOutputTokens, temperature }),
    ...toolsOf(offer),
    ...(format === 'json' ? { response_format: { type: 'json_object' as const } } : {}),
  };
}

function toPart(
  { kind, text, mime = '' }: PromptPart,
  flavour: Flavour,
): ChatCompletionContentPart {
  switch (kind) {
    case 'text':
      return { type: 'text', text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${mime};base64,${text}` } };
    case 'document':
      // Most other servers reject the whole request, and the document would be in every later request, too.
      if (flavour !== 'openai') return { type: 'text', text: `(${mime}: not sent to this model)` };
      return {
        type: 'file',
        file: { filename: 'document.pdf', file_data: `data:${mime};base64,${text}` },
      };
  }
}

type Tools = {
  tools?: ChatCompletionFunctionTool[];
  tool_choice?: ChatCompletionToolChoiceOption;
};

/** An empty list of tools is an error for the provider. */
function toolsOf(offer: ModelOffer | undefined): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): ChatCompletionFunctionTool => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  );
  return { tools, tool_choice: toChoice(offer.choice) };
}

function toChoice(choice: ModelOffer['choice']): ChatCompletionToolChoiceOption {
  return typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: choice.tool } };
}
