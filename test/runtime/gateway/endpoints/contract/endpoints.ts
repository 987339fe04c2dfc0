import { z } from 'zod';

/** What every endpoint is sent, in the words of its protocol. */
export type Said = {
  readonly id: string;
  readonly text: string;
  readonly agent: string;
  readonly file?: File | undefined;
};
type File = { readonly mime: string; readonly data: string };

const url = ({ mime, data }: File) => `data:${mime};base64,${data}`;
/** The parts of a message: a text, and a file if there is one. */
function parts<T>(text: T, file: File | undefined, toPart: (file: File) => T): readonly T[] {
  return file === undefined ? [text] : [text, toPart(file)];
}

export type Endpoint = {
  readonly path: (agent: string) => string;
  readonly body: (said: Said) => object;
  /** Of an error. It transforms the response to the code of ours that it carries. */
  readonly error: z.ZodType<string>;
  /** JSON-RPC answers requests that it has read with 200. */
  readonly isRpc?: boolean;
};

export const Rpc = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({
      code: z.int().max(-32_000),
      message: z.string(),
      data: z.looseObject({ code: z.string() }),
    }),
  })
  .transform(({ error }) => error.data.code);
const OpenAi = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string(),
      param: z.string().nullable(),
    }),
  })
  .transform(({ error }) => ourCodes[error.code] ?? error.code);
/** The words of OpenAI for codes of ours. */
const ourCodes: Readonly<Record<string, string>> = {
  invalid_api_key: 'unauthenticated',
  invalid_value: 'invalid_input',
  model_not_found: 'not_found',
  rate_limit_exceeded: 'busy',
  // What is wrong with the file.
  type_mismatch: 'attachment_refused',
};

export const endpoints: Readonly<Record<string, Endpoint>> = {
  messages: {
    path: () => '/api/chat/dev/dev/messages',
    body: ({ id, text, agent, file }) => ({
      ...{ conversation_id: 'conv_ours', message_id: id, text },
      ...{ bundle_id: 'desk', agent_id: agent },
      ...(file && { attachments: [{ name: 'file', ...file }] }),
    }),
    error: z
      .looseObject({ ok: z.literal(false), error: z.looseObject({ code: z.string() }) })
      .transform(({ error }) => error.code),
  },
  'AI SDK': {
    path: (agent) => `/api/ai/dev/dev/desk/${agent}`,
    body: ({ id, text, file }) => ({
      id: 'conv_ai',
      message: {
        ...{ id, role: 'user' },
        parts: parts<object>({ type: 'text', text }, file, (sent) => ({
          ...{ type: 'file', url: url(sent), mediaType: sent.mime },
        })),
      },
    }),
    error: z
      .object({ type: z.literal('error'), errorText: z.string(), code: z.string() })
      .transform(({ code }) => code),
  },
  'AG-UI': {
    path: (agent) => `/api/ag-ui/dev/dev/desk/${agent}`,
    body: ({ id, text, file }) => ({
      ...{ threadId: 'conv_agui', runId: 'run_1', state: {}, tools: [], context: [] },
      messages: [
        {
          ...{ id, role: 'user' },
          content: parts<object>({ type: 'text', text }, file, ({ mime, data }) => ({
            type: 'document',
            source: { type: 'data', value: data, mimeType: mime },
          })),
        },
      ],
    }),
    error: z
      .object({ type: z.literal('RUN_ERROR'), message: z.string(), code: z.string() })
      .transform(({ code }) => code),
  },
  'Chat Completions': {
    path: () => '/api/openai/dev/dev/v1/chat/completions',
    body: ({ text, agent, file }) => ({
      ...{ model: `desk/${agent}`, stream: true },
      messages: [
        {
          role: 'user',
          content: parts<object>({ type: 'text', text }, file, (sent) => ({
            type: 'file',
            file: { file_data: url(sent) },
          })),
        },
      ],
    }),
    error: OpenAi,
  },
  Responses: {
    path: () => '/api/openai/dev/dev/v1/responses',
    body: ({ text, agent, file }) => ({
      ...{ model: `desk/${agent}`, stream: true },
      input: [
        {
          role: 'user',
          content: parts<object>({ type: 'input_text', text }, file, (sent) => ({
            ...{ type: 'input_file', file_data: url(sent) },
          })),
        },
      ],
    }),
    error: OpenAi,
  },
  LangGraph: {
    path: () => '/api/langgraph/dev/dev/threads/conv_graph/runs',
    body: ({ id, text, agent, file }) => ({
      assistant_id: `desk/${agent}`,
      input: {
        messages: [
          {
            ...{ type: 'human', id },
            content: parts<object>({ type: 'text', text }, file, ({ mime, data }) => ({
              ...{ type: 'file', mimeType: mime, data },
            })),
          },
        ],
      },
    }),
    error: z.object({ detail: z.string(), code: z.string() }).transform(({ code }) => code),
  },
  A2A: {
    path: (agent) => `/api/a2a/dev/dev/desk/${agent}`,
    body: ({ id, text, file }) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
      params: {
        configuration: { returnImmediately: true },
        message: {
          ...{ messageId: id, contextId: 'conv_a2a', role: 'ROLE_USER' },
          parts: parts<object>({ text }, file, ({ mime, data }) => ({
            raw: data,
            mediaType: mime,
          })),
        },
      },
    }),
    error: Rpc,
    isRpc: true,
  },
};
