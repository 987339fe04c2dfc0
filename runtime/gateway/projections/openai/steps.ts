import type { Json, JsonObject } from '../../../base/json.ts';

/** What a tool call shows in mistral.rs's words: fields by `tool_type`. */
export type ToolProgress = {
  readonly round: number;
  readonly tool_name: string;
  readonly phase: 'calling' | 'complete';
  readonly data: JsonObject;
  /** Our id of the call. */
  readonly call_id: string;
};

/** One executed call, for answers that are not streamed. */
export type ToolRecord = {
  readonly round: number;
  readonly name: string;
  readonly arguments: string;
  readonly result_content: string;
  readonly file_ids: readonly string[];
};

export type ProducedFile = {
  readonly id: string;
  readonly object: 'file';
  readonly filename: string;
  readonly mime_type: string;
  readonly bytes: number;
  readonly purpose: 'assistants_output';
  readonly created_at: number;
  readonly round: number;
  readonly source: { readonly tool: string; readonly round: number; readonly turn: string };
  readonly path: string;
};

/** A call that the client performs. `arguments` is JSON. */
export type ClientCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
};

/** Tokens of the turn so far. `input` includes what came from a cache. */
export type TokenCount = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly costUsd: number;
};

export type TurnFailure = { readonly code: string; readonly message: string };

export type TextPart = 'answer' | 'reasoning';

/**
 * What one envelope adds to a turn, in terms that both OpenAI protocols can express. Texts come in items: an item opens with
 * its first text and ends with `text_end`, or with `withdrawn` if its text is not part of the answer after all.
 */
export type Step =
  | { readonly kind: 'begin' }
  | {
      readonly kind: 'text';
      readonly part: TextPart;
      readonly item: string;
      readonly text: string;
    }
  | {
      readonly kind: 'text_end';
      readonly part: TextPart;
      readonly item: string;
      readonly text: string;
    }
  | { readonly kind: 'withdrawn'; readonly part: TextPart; readonly item: string }
  /** The round of the last answer has ended. `isCut`: the answer was cut short, and another one replaces it unless the turn ends. */
  | { readonly kind: 'answer_end'; readonly isCut: boolean }
  | { readonly kind: 'remark'; readonly text: string }
  | { readonly kind: 'canvas'; readonly canvas: JsonObject }
  | { readonly kind: 'progress'; readonly progress: ToolProgress }
  | { readonly kind: 'file'; readonly file: ProducedFile }
  | { readonly kind: 'approval'; readonly approval: JsonObject }
  | {
      readonly kind: 'client_call';
      readonly call: ClientCall;
      /** The turn waits for the result. Otherwise it ends with these calls. */
      readonly parked: boolean;
      readonly tokens: TokenCount;
    }
  | {
      readonly kind: 'end';
      readonly reason: string;
      /** The last answer. */
      readonly text: string;
      readonly output?: Json;
      readonly tokens: TokenCount;
      readonly failure?: TurnFailure;
    };
