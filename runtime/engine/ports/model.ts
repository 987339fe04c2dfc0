import type { Json, JsonObject } from '../../base/json.ts';
import type { Protocol, ReplyPiece } from '../../channels/protocol/reply-piece.ts';
import type { CallId } from '../../timeline/ids.ts';

export type ModelRole = 'decision' | 'answer' | 'summary' | 'selection' | 'small' | 'reasoning';

/** A part ends where a provider's cache may end: parts that were sent are never merged or split. */
export type PromptPart = {
  readonly kind: 'text' | 'image' | 'document';
  /** Text, or base64 for images and documents. */
  readonly text: string;
  readonly mime?: string;
  /** A cache mark after this part. At most three in `parts`; the system text has its own. */
  readonly checkpoint?: true;
};

/** A call that the model made in an earlier reply of `native-tools`. */
export type CallPart = {
  readonly kind: 'call';
  /** Pairs the call with its result; unique in the prompt. Ours, `tc_…`, whatever id the provider once gave. */
  readonly call: CallId;
  /** The name on the wire. */
  readonly name: string;
  readonly input: JsonObject;
  readonly checkpoint?: true;
};

/** The result of a call in the assistant message before. */
export type ResultPart = {
  readonly kind: 'result';
  readonly call: CallId;
  readonly ok: boolean;
  readonly text: string;
  readonly checkpoint?: true;
};

/** Reasoning that goes back as the provider gave it. Precedes the text and the calls of its reply; has no mark. */
export type CarryPart = {
  readonly kind: 'carry';
  readonly provider: string;
  readonly item: Json;
};

/**
 * One message of a prompt in message form. The first message is of the user, the last one too, and roles alternate.
 * Results come first in the message after their calls, one for each call. Parts that were sent are never merged or
 * split; later requests may append parts to a message.
 */
export type PromptMessage =
  | { readonly role: 'user'; readonly parts: readonly (PromptPart | ResultPart)[] }
  | { readonly role: 'assistant'; readonly parts: readonly (PromptPart | CallPart | CarryPart)[] };

/** A tool as a provider's own tool calling shows it to the model. */
export type ToolOffer = {
  /** The name on the wire: letters, digits, `_` and `-`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly schema: JsonObject;
};

export type ModelOffer = {
  readonly tools: readonly ToolOffer[];
  /** `none`: the tools are listed, but none may be called. A name forces that tool. */
  readonly choice: 'auto' | 'none' | 'required' | { readonly tool: string };
};

/** What a model supports on the wire. */
export type ModelAbilities = {
  readonly tools: boolean;
  /** A certain tool can be forced. */
  readonly forcedChoice: boolean;
  /** The reply can be restricted to one JSON object. */
  readonly json: boolean;
};

export type ModelRequest = {
  readonly role: ModelRole;
  readonly system: string;
  /** Text form: one user message with several parts. Empty if there are `messages`. */
  readonly parts: readonly PromptPart[];
  /** Message form: the conversation as messages of the user and the model. */
  readonly messages?: readonly PromptMessage[];
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** Tools offered through the provider's own tool calling. */
  readonly offer?: ModelOffer;
  /** `json`: the reply must be one JSON object. */
  readonly format?: 'json';
  /** How the reply is written: for recording and playback only, never sent. Undefined: `channels`. */
  readonly protocol?: Protocol;
  /** Ids of the tools in the system text: for recording only, never sent. */
  readonly tools?: readonly string[];
  /** Id of the conversation: for recording and playback only, never sent. */
  readonly conversation?: string;
};

export type ModelUsage = {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of these tokens written into cache entries that live longer and cost more. */
  readonly cacheLongWriteTokens?: number;
};

export type ModelEvent =
  /**
   * From a provider that reports its input before its first output; again after a retry. `outputTokens` is not
   * complete.
   */
  | {
      readonly kind: 'begun';
      readonly usage: ModelUsage;
      readonly model: string;
      readonly insteadOf?: FailedModel;
    }
  | ReplyPiece
  | {
      readonly kind: 'done';
      readonly finish: 'stop' | 'length' | 'refusal' | 'unknown';
      readonly usage: ModelUsage;
      /** The provider's name of the model. */
      readonly model: string;
      /** A fallback answered: the model that should have, and why it did not. */
      readonly insteadOf?: FailedModel;
    };

/** A model that failed, and the code of its fault. */
export type FailedModel = { readonly model: string; readonly code: string };

/** A language model for one role. Adapters map checkpoints to the provider's cache marks. */
export interface Model {
  /** `anthropic:claude-…`, `openai:…`, `scripted:…`. */
  readonly id: string;
  /** Input and output together, in tokens. */
  readonly contextTokens: number;
  /** Maximum output tokens of one request. Undefined: as requested. */
  readonly maxOutputTokens?: number;
  /** Undefined: nothing but text is known to work. */
  readonly abilities?: ModelAbilities;
  /** The form of prompts that this model reads best, unless an agent chooses one. Undefined: `text`. */
  readonly promptForm?: 'text' | 'messages';
  /** How its profile wants replies written. Undefined: what `abilities` allows. */
  readonly protocol?: Protocol;
  /** Ends with exactly one `done`, or throws Fault `MODEL_*`, or the signal's reason once aborted. */
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>;
  /** US dollars for a usage; 0 if prices are unknown. `answeredBy`: the name in `done`, if a fallback may have answered. */
  costUsd(usage: ModelUsage, answeredBy?: string): number;
}

/** A prompt of either form as messages. */
export function messagesOf({
  parts,
  messages,
}: Pick<ModelRequest, 'parts' | 'messages'>): readonly PromptMessage[] {
  return messages ?? [{ role: 'user', parts }];
}
