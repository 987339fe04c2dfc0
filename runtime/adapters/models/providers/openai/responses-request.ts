import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
  ToolChoiceFunction,
  ToolChoiceOptions,
} from 'openai/resources/responses/responses';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import type {
  ModelOffer,
  ModelRequest,
  PromptMessage,
  PromptPart,
} from '../../../../engine/ports/model.ts';
import { alternating, type MessagePart } from '../messages.ts';
import type { RejectedFeatures } from '../rejected-features.ts';
import type { Flavour } from './chat-messages.ts';

export type ResponsesServer = {
  readonly model: string;
  readonly flavour: Flavour;
  readonly features: RejectedFeatures;
};

/** Nothing is stored at the provider: the conversation is in every request, with its encrypted reasoning. */
export function toResponsesBody(
  { model, flavour, features }: ResponsesServer,
  request: ModelRequest,
): ResponseCreateParamsStreaming {
  const { system, maxOutputTokens, temperature, offer, format } = request;
  return {
    model,
    stream: true,
    store: false,
    ...(system === '' ? {} : { instructions: system }),
    input: alternating(request).flatMap(toItems),
    max_output_tokens: maxOutputTokens,
    // The provider's own models choose their sampling and reject a temperature.
    ...(flavour === 'openai' || !features.accepts('temperature') ? {} : { temperature }),
    ...toolsOf(offer, features),
    ...(format === 'json' && features.accepts('json')
      ? { text: { format: { type: 'json_object' as const } } }
      : {}),
  };
}

/** Reasoning, text and calls of a reply are items of their own, and so is each result. */
function toItems({ role, parts }: PromptMessage): readonly ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  const content: ResponseInputContent[] = [];
  for (const part of parts) {
    if (part.kind === 'call' || part.kind === 'result' || part.kind === 'carry')
      items.push(...toItem(part));
    else if (role === 'assistant') items.push({ role, content: part.text });
    else content.push(toContent(part));
  }
  return content.length > 0 || items.length === 0 ? [...items, { role, content }] : items;
}

function toItem(part: Exclude<MessagePart, PromptPart>): readonly ResponseInputItem[] {
  switch (part.kind) {
    case 'call': {
      const { call: call_id, name, input } = part;
      return [{ type: 'function_call', call_id, name, arguments: JSON.stringify(input) }];
    }
    case 'result':
      return [{ type: 'function_call_output', call_id: part.call, output: part.text }];
    case 'carry':
      return part.provider === 'openai' ? toReasoning(part.item) : [];
  }
}

/** Reasoning goes back exactly as it came. */
function toReasoning(item: Json): readonly ResponseReasoningItem[] {
  if (!isJsonObject(item) || item['type'] !== 'reasoning') return [];
  const { id, encrypted_content: encrypted, summary } = item;
  const texts = Array.isArray(summary) ? summary.filter(isJsonObject) : [];
  return [
    {
      type: 'reasoning',
      id: String(id),
      summary: texts.map(({ text }) => ({ type: 'summary_text', text: String(text) })),
      encrypted_content: String(encrypted),
    },
  ];
}

function toContent({ kind, text, mime = '' }: PromptPart): ResponseInputContent {
  const data = `data:${mime};base64,${text}`;
  if (kind === 'text') return { type: 'input_text', text };
  return kind === 'image'
    ? { type: 'input_image', image_url: data, detail: 'auto' }
    : { type: 'input_file', filename: 'document.pdf', file_data: data };
}

type Tools = { tools?: FunctionTool[]; tool_choice: ToolChoiceOptions | ToolChoiceFunction };

function toolsOf(offer: ModelOffer | undefined, features: RejectedFeatures): Partial<Tools> {
  if (!offer || offer.tools.length === 0) return {};
  const { choice } = offer;
  const tools = offer.tools.map(
    ({ name, description, schema }): FunctionTool => ({
      ...{ type: 'function', name, description },
      parameters: schema,
      // Strict schemas must list every property as required, which ours need not.
      strict: false,
    }),
  );
  return { tools, tool_choice: toChoice(choice, features.accepts('forcedChoice')) };
}

function toChoice(choice: ModelOffer['choice'], canForce: boolean): Tools['tool_choice'] {
  if (choice === 'auto' || choice === 'none') return choice;
  if (!canForce) return 'auto';
  return choice === 'required' ? choice : { type: 'function', name: choice.tool };
}
