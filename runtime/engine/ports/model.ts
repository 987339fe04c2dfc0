export type ModelRole = 'decision' | 'answer' | 'summary' | 'selection' | 'small';

/** A part ends where a provider's cache may: parts once sent are never merged or split. */
export type PromptPart = {
  readonly kind: 'text' | 'image' | 'document';
  /** Text, or base64 for images and documents. */
  readonly text: string;
  readonly mime?: string;
  /** A cache mark after this part. At most three in `parts`; the system text has its own. */
  readonly checkpoint?: true;
};

export type ModelRequest = {
  readonly role: ModelRole;
  readonly system: string;
  /** One user message made of many parts. */
  readonly parts: readonly PromptPart[];
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** Ids of the tools that the system text offers: for those who record what was asked, never sent. */
  readonly tools?: readonly string[];
  /** Id of the conversation that asks: for those who record or play requests, never sent. */
  readonly conversation?: string;
};

export type ModelUsage = {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of these, what was written into entries that live longer and cost more. */
  readonly cacheLongWriteTokens?: number;
};

export type ModelEvent =
  /** Of a provider that says what it has read before its first word; once more where it was asked again. `outputTokens` are not all. */
  | { readonly kind: 'begun'; readonly usage: ModelUsage; readonly model: string }
  | { readonly kind: 'text'; readonly text: string }
  /** The provider's own reasoning, if it shows any. Never part of the protocol. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | {
      readonly kind: 'done';
      readonly finish: 'stop' | 'length' | 'refusal' | 'unknown';
      readonly usage: ModelUsage;
      /** As the provider names it. */
      readonly model: string;
    };

/** A language model behind one role. Adapters map checkpoints to the provider's cache marks. */
export interface Model {
  /** `anthropic:claude-…`, `openai:…`, `scripted:…`. */
  readonly id: string;
  /** Input and output together, in tokens. */
  readonly contextTokens: number;
  /** Output tokens of one request; undefined: as many as are asked for. */
  readonly maxOutputTokens?: number;
  /** Ends with exactly one `done`, or throws: Fault `MODEL_*`, or the signal's reason once aborted. */
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>;
  /** US dollars for a usage; 0 where prices are unknown. */
  costUsd(usage: ModelUsage): number;
}
