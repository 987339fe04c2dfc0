import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import type {
  ModelOffer,
  ModelRequest,
  PromptMessage,
  PromptPart,
} from '../../../../engine/ports/model.ts';
import { cacheMarksMax } from '../limits.ts';
import { alternating, type MessagePart } from '../messages.ts';
import type { RejectedFeatures } from '../rejected-features.ts';

/** Current models choose their own sampling and reject a temperature, so none is sent. */
export function toMessagesBody(
  { model, features }: { readonly model: string; readonly features: RejectedFeatures },
  request: ModelRequest,
): MessageCreateParamsStreaming {
  const { system, maxOutputTokens, offer } = request;
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(system !== '' && { system: [{ type: 'text', text: system, ...cachedLong }] }),
    messages: toMessages(alternating(request)),
    ...toolsOf(offer, features),
  };
}

const cached = { cache_control: { type: 'ephemeral' } } as const;
/** Long-lived cache entry for the tools and the system text, which all conversations of an agent share. Long entries must come first. */
const cachedLong = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

/** The provider accepts four cache marks, and one is on the system text. The last marks are worth most, so keep those. */
function toMessages(messages: readonly PromptMessage[]): MessageParam[] {
  const marks = messages
    .flatMap<MessagePart>(({ parts }) => parts)
    .filter((part) => 'checkpoint' in part && part.checkpoint)
    .slice(-cacheMarksMax);
  return messages.map(({ role, parts }) => ({
    role,
    content: parts.flatMap((part: MessagePart) =>
      toBlocks(part, marks.includes(part) ? cached : undefined),
    ),
  }));
}

type Mark = { cache_control: CacheControlEphemeral } | undefined;

function toBlocks(part: MessagePart, mark: Mark): readonly ContentBlockParam[] {
  switch (part.kind) {
    case 'call':
      return [{ type: 'tool_use', id: part.call, name: part.name, input: part.input, ...mark }];
    case 'result':
      return [
        {
          type: 'tool_result',
          tool_use_id: part.call,
          content: part.text,
          ...(part.ok ? {} : { is_error: true }),
          ...mark,
        },
      ];
    case 'carry':
      return part.provider === 'anthropic' ? toThinking(part.item) : [];
    default:
      return [{ ...toContent(part), ...mark }];
  }
}

/** Thinking goes back exactly as it came. */
function toThinking(item: Json): readonly ContentBlockParam[] {
  if (!isJsonObject(item)) return [];
  const { type, thinking, signature, data } = item;
  if (type === 'redacted_thinking') return [{ type, data: String(data) }];
  if (type !== 'thinking') return [];
  return [{ type, thinking: String(thinking), signature: String(signature) }];
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function toContent({ kind, text, mime }: PromptPart) {
  const image = imageTypes.find((type) => type === mime);
  if (kind === 'image' && image) {
    return { type: 'image', source: { type: 'base64', media_type: image, data: text } } as const;
  }
  if (kind === 'document' && mime === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mime, data: text } } as const;
  }
  return kind === 'text' ? toText(text) : toText(`[${kind} of type ${mime}: not readable here]`);
}

function toText(text: string): TextBlockParam {
  return { type: 'text', text };
}

type Tools = { tools?: Tool[]; tool_choice?: ToolChoice };

function toolsOf(offer: ModelOffer | undefined, features: RejectedFeatures): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): Tool => ({
      name,
      description,
      input_schema: { ...schema, type: 'object' },
      // Otherwise a long argument arrives in one piece when it is complete.
      ...(features.accepts('eagerInput') ? { eager_input_streaming: true } : {}),
    }),
  );
  return { tools, tool_choice: toChoice(offer.choice, features.accepts('forcedChoice')) };
}

/** A model that thinks rejects a forced choice. */
function toChoice(choice: ModelOffer['choice'], canForce: boolean): ToolChoice {
  if (choice === 'auto' || choice === 'none') return { type: choice };
  if (!canForce) return { type: 'auto' };
  return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.tool };
}
