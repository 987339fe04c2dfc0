import { z } from 'zod';
import {
  agentFields,
  type ChatMessageParam,
  type ContentPart,
  toolChoice,
} from './chat-request.ts';
import { webSearchFields } from './web-search.ts';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const textPart = z.looseObject({ type: z.enum(['input_text', 'output_text']), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const imagePart = z.looseObject({
  type: z.literal('input_image'),
  image_url: optional(z.string()),
  file_id: optional(z.string()),
});
const filePart = z.looseObject({
  type: z.literal('input_file'),
  file_data: optional(z.string()),
  file_id: optional(z.string()),
  filename: optional(z.string()),
});
const part = z.discriminatedUnion(
  'type',
  [textPart, refusalPart, imagePart, filePart],
  'must be a part of type input_text, input_image or input_file',
);
const content = z.union([z.string(), z.array(part)], 'must be text or a list of parts');

const message = z.looseObject({
  type: optional(z.literal('message')),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content,
});
const call = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const output = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: content,
});
/** Parts of earlier responses, which are on the log. */
const known = z.looseObject({ type: z.enum(['reasoning', 'item_reference']) });
const item = z.union([message, call, output, known], 'is not an item of a supported type');
type Item = z.infer<typeof item>;

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.json())),
});
/** The agent runs programs in its own sandbox, and searches with its own tools. */
const programTool = z.looseObject({ type: z.literal('code_interpreter') });
const searchTool = z.looseObject({
  type: z.literal([
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
  ]),
  ...webSearchFields,
});
const tool = z.discriminatedUnion(
  'type',
  [functionTool, programTool, searchTool],
  'must be function, web_search or code_interpreter',
);

const format = z.looseObject({
  type: z.enum(['text', 'json_object', 'json_schema']),
  schema: optional(z.record(z.string(), z.json())),
});

/** A request of the Responses API. Settings of the model are those of the agent and are ignored. */
export const responseRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1)], 'must be text or a list of items'),
  instructions: optional(z.string()),
  previous_response_id: optional(z.string()),
  conversation: optional(z.union([z.string(), z.looseObject({ id: z.string() })])),
  stream: optional(z.boolean()),
  background: optional(z.boolean()),
  tools: optional(z.array(tool)),
  tool_choice: toolChoice,
  text: optional(z.looseObject({ format: optional(format) })),
  ...agentFields,
});
export type ResponseRequest = z.infer<typeof responseRequest>;

/** The input as messages of Chat Completions. */
export function toMessages({ input, instructions }: ResponseRequest): readonly ChatMessageParam[] {
  const items: readonly Item[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const first: readonly ChatMessageParam[] = instructions
    ? [{ role: 'system', content: instructions }]
    : [];
  return [...first, ...items.flatMap(toMessage)];
}

function toMessage(each: Item): readonly ChatMessageParam[] {
  if ('role' in each && 'content' in each) {
    const { role, content: said } = message.parse(each);
    return [{ role, content: toContent(said) }];
  }
  const asked = call.safeParse(each);
  if (asked.success) {
    const { call_id: id, name, arguments: written } = asked.data;
    return [{ role: 'assistant', tool_calls: [{ id, function: { name, arguments: written } }] }];
  }
  const answered = output.safeParse(each);
  // What the agent did before: it is on the log, and what follows it is new.
  if (!answered.success) return [{ role: 'assistant', content: '' }];
  const { call_id: tool_call_id, output: result } = answered.data;
  return [{ role: 'tool', tool_call_id, content: toContent(result) }];
}

function toContent(said: z.infer<typeof content>): string | ContentPart[] {
  return typeof said === 'string' ? said : said.map(toPart);
}

function toPart(each: z.infer<typeof part>): ContentPart {
  switch (each.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: each.text };
    case 'refusal':
      return { type: 'refusal', refusal: each.refusal };
    case 'input_image':
      return typeof each.image_url === 'string'
        ? { type: 'image_url', image_url: { url: each.image_url } }
        : { type: 'file', file: { file_id: each.file_id } };
    case 'input_file': {
      const { file_data, file_id, filename } = each;
      return { type: 'file', file: { file_data, file_id, filename } };
    }
  }
}
