import { z } from 'zod';
import { webSearchOptions } from './web-search.ts';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const textPart = z.looseObject({ type: z.enum(['text', 'input_text']), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string() }),
});
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: optional(z.string()),
    file_id: optional(z.string()),
    filename: optional(z.string()),
  }),
});

export type ContentPart = z.infer<typeof part>;
const part = z.discriminatedUnion(
  'type',
  [textPart, refusalPart, imagePart, filePart],
  'must be a part of type text, image_url or file',
);
const content = z.union([z.string(), z.array(part)], 'must be text or a list of parts');

const call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer', 'user']), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: optional(content),
    tool_calls: optional(z.array(call)),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);
export type ChatMessageParam = z.infer<typeof message>;

const tool = z.looseObject({
  type: z.literal('function', 'only functions are supported'),
  function: z.looseObject({
    name: z.string(),
    description: optional(z.string()),
    parameters: optional(z.record(z.string(), z.json())),
  }),
});

export const toolChoice = optional(
  z.enum(['auto', 'none'], 'must be auto or none: the agent decides which tools it calls'),
);

/** `json_schema` and `json_object` ask for the structured output of the agent. */
const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ schema: optional(z.record(z.string(), z.json())) }),
  }),
]);

/** Fields of both OpenAI protocols that are ours or mistral.rs's. */
export const agentFields = {
  enable_code_execution: optional(z.boolean()),
  web_search_options: optional(webSearchOptions),
  max_tool_rounds: optional(z.int().min(0)),
  tool_dispatch_url: optional(z.string()),
};

/**
 * A request of Chat Completions. Settings of the model, such as `temperature`, are those of the agent and are ignored.
 */
export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: optional(z.boolean()),
  stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
  tools: optional(z.array(tool)),
  tool_choice: toolChoice,
  n: optional(z.literal(1, 'only one choice is supported')),
  response_format: optional(responseFormat),
  functions: optional(z.undefined('use tools')),
  ...agentFields,
});

export type ChatRequest = z.infer<typeof chatRequest>;
