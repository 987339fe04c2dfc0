import type { Json, JsonObject } from '../../../base/json.ts';
import { turnError } from './openai-error.ts';
import type { ProducedFile, Step, TokenCount, ToolRecord } from './steps.ts';
import { responseUsage } from './token-count.ts';
import { filesAndCalls } from './tool-progress.ts';

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** How a response ended, as far as it has. */
export type ResponseEnd = {
  readonly status: ResponseStatus;
  readonly tokens?: TokenCount;
  readonly error?: Json;
  readonly incomplete?: Json;
};

type ResponseFacts = {
  readonly id: string;
  readonly createdAt: number;
  readonly model: string;
  readonly conversation: string;
  readonly output: readonly JsonObject[];
  readonly files: readonly ProducedFile[];
  readonly records: readonly ToolRecord[];
};

/** Fields of a request that its response repeats. */
export type ResponseEcho = { readonly background?: boolean; readonly previous?: string | null };

export function endOf({ reason, failure, tokens }: Extract<Step, { kind: 'end' }>): ResponseEnd {
  if (failure) return { status: 'failed', tokens, error: { ...turnError(failure) } };
  if (reason === 'interrupted') return { status: 'cancelled', tokens };
  if (reason !== 'exhausted') return { status: 'completed', tokens };
  return { status: 'incomplete', tokens, incomplete: { reason: 'max_output_tokens' } };
}

/** The event that ends the stream of a response. */
export function endEventOf(status: ResponseStatus): string {
  return `response.${status === 'cancelled' ? 'incomplete' : status}`;
}

export function responseObject(
  { id, createdAt, model, conversation, output, files, records }: ResponseFacts,
  { status, tokens, error = null, incomplete = null }: ResponseEnd,
  { background = false, previous = null }: ResponseEcho,
): JsonObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status,
    background,
    error,
    incomplete_details: incomplete,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: previous,
    conversation: { id: conversation },
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: tokens ? responseUsage(tokens) : null,
    ...filesAndCalls({ files, records }),
  };
}
