import type { ChatEvent, FileRef, Source } from '../../../../client/index.ts';

/** One visible item of a turn, in order of arrival. Its `key` never changes. */
export type Item = { readonly key: string } & (
  | {
      readonly kind: 'said';
      /** `prompt`, `followup`, `steer`, or the kind of an external event. */
      readonly event: string;
      readonly message: string;
      readonly text: string;
      readonly state: 'sending' | 'accepted' | 'seen' | 'refused';
      readonly files: readonly { readonly filename: string; readonly path?: string }[];
      readonly problem?: string;
    }
  | { readonly kind: 'thinking' | 'note' | 'answer'; readonly text: string; readonly done: boolean }
  | {
      readonly kind: 'code';
      readonly text: string;
      readonly done: boolean;
      readonly language: string;
      /** The exec call that runs the program, once known. */
      readonly call: string;
      /** What the program printed. */
      readonly output: string;
      /** The number of calls per tool that the program has made. */
      readonly calls: Readonly<Record<string, number>>;
    }
  | {
      readonly kind: 'canvas';
      readonly text: string;
      readonly done: boolean;
      readonly name: string;
      readonly title: string;
      readonly mime: string;
    }
  | {
      readonly kind: 'tool';
      readonly tool: string;
      readonly state: 'running' | 'waiting' | 'done' | 'failed';
      readonly progress: string;
      readonly input: unknown;
      readonly result: unknown;
    }
  | {
      readonly kind: 'approval';
      readonly request: string;
      readonly title: string;
      readonly detail: string;
      readonly asks: 'call' | 'tool_failure' | 'spending' | 'agent';
      /** Undefined: the question is not about a call. */
      readonly call: { readonly tool: string; readonly input: unknown } | undefined;
      /** Empty while it is open; `allowed`, `denied`, `expired`, `interrupted`. */
      readonly outcome: string;
    }
  | {
      readonly kind: 'secret';
      readonly bundle: string;
      /** Empty if unknown: the server knows which secrets are missing. */
      readonly id: string;
      readonly description: string;
    }
  /** A status line, for example about compaction. */
  | { readonly kind: 'quiet'; readonly text: string }
  | { readonly kind: 'files'; readonly items: readonly FileRef[] }
  | {
      readonly kind: 'plan';
      readonly steps: readonly { readonly text: string; readonly status: string }[];
    }
);

export type TurnEnd = {
  readonly reason: string;
  readonly degraded: boolean;
  readonly message: string;
  readonly tokens: number;
  readonly costUsd: number;
};

export type TurnTranscript = {
  readonly id: string;
  readonly bundle: string;
  readonly items: readonly Item[];
  readonly sources: readonly Source[];
  readonly suggestions: readonly string[];
  readonly end: TurnEnd | undefined;
};

/** A conversation as the page shows it, starting with its first loaded turn. */
export type Transcript = {
  readonly turns: readonly TurnTranscript[];
  /** Messages that are not part of a turn yet. */
  readonly unsent: readonly Item[];
  /** Events of turns that are not loaded, because they began before the first loaded one. */
  readonly orphans: readonly ChatEvent[];
};
