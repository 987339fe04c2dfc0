import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelOffer, ModelRequest, PromptPart } from '../../../engine/ports/model.ts';
import { cacheMarksMax } from './limits.ts';

/** Current models choose their own sampling and reject a temperature, so none is sent. */
export function toMessagesBody(model: string, request: ModelRequest): MessageCreateParamsStreaming {
  const { system, parts, maxOutputTokens, offer } = request;
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(system !== '' && { system: [{ type: 'text', text: system, ...cachedLong }] }),
    messages: [{ role: 'user', content: toContent(parts) }],
    ...toolsOf(offer),
  };
}

const cached = { cache_control: { type: 'ephemeral' } } as const;
/** Long-lived cache entry for the tools and the system text, which all conversations of an agent share. Long entries must come first. */
const cachedLong = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

/** The provider accepts four cache marks, and one is on the system text. The last marks are worth most, so keep those. */
function toContent(parts: readonly PromptPart[]): ContentBlockParam[] {
  const marks = parts.filter((part) => part.checkpoint).slice(-cacheMarksMax);
  return parts
    .filter((part) => part.text.trim() !== '')
    .map((part) => ({ ...toBlock(part), ...(marks.includes(part) && cached) }));
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function toBlock({ kind, text, mime }: PromptPart): ContentBlockParam {
  const image = imageTypes.find((type) => type === mime);
  if (kind === 'image' && image) {
    return { type: 'image', source: { type: 'base64', media_type: image, data: text } };
  }
  if (kind === 'document' && mime === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mime, data: text } };
  }
  return kind === 'text' ? toText(text) : toText(`[${kind} of type ${mime}: not readable here]`);
}

function toText(text: string): TextBlockParam {
  return { type: 'text', text };
}

type Tools = { tools?: Tool[]; tool_choice?: ToolChoice };

function toolsOf(offer: ModelOffer | undefined): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): Tool => ({
      name,
      description,
      input_schema: { ...schema, type: 'object' },
      // Otherwise a long argument arrives in one piece when it is complete.
      eager_input_streaming: true,
    }),
  );
  return { tools, tool_choice: toChoice(offer.choice) };
}

function toChoice(choice: ModelOffer['choice']): ToolChoice {
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool };
  return { type: choice === 'required' ? 'any' : choice };
}
