export type FileRef = {
  readonly path: `fi:${string}`;
  readonly filename: string;
  readonly mime: string;
  readonly size: number;
  readonly visibility: 'external' | 'internal';
  /** The file's name with its owner, which holds outside the conversation. */
  readonly resource?: string;
  /** The beginning of a textual file that a program made: at most 8,000 characters. */
  readonly preview?: string;
};
export type Source = {
  readonly sid: number;
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  /** What is known of it. Dates are in ISO form, relevance is from 0 to 1. */
  readonly type?: 'web' | 'file' | 'attachment' | 'manual';
  readonly mime?: string;
  readonly author?: string;
  readonly site?: string;
  readonly published?: string;
  readonly modified?: string;
  readonly relevance?: number;
  readonly favicon?: string;
};
export type CloseReason =
  | 'completed'
  | 'exhausted'
  | 'interrupted'
  | 'failed'
  | 'parked'
  | 'handed_off';
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly costUsd: number;
};

export type Reaction = 'ok' | 'not_ok' | 'neutral';
