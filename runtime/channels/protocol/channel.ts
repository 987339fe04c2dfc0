import type { Json } from '../../base/json.ts';

export type ChannelFormat = 'markdown' | 'text' | 'json' | 'html';

/** A channel the model may open. */
export type ChannelSpec = {
  /** Canonical: events use this spelling, however the model spells the tag. `[A-Za-z0-9_-]+`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Quoting has no effect in the body: every channel tag is a tag. */
  readonly raw?: boolean;
  /** Determines which quoting turns a tag in the body into plain text. */
  readonly format: ChannelFormat;
  /** Maximum length of one body in UTF-16 units; the rest is dropped with a notice. */
  readonly charsMax?: number;
};

export const scanNoticeCodes = [
  'undeclared_channel',
  'unclosed_channel',
  'stray_close',
  'text_outside',
  'channel_too_long',
  'notices_dropped',
] as const;
export type ScanNoticeCode = (typeof scanNoticeCodes)[number];

/** Information about the output that its reader may want; never a reason to stop on its own. */
export type Notice<Code extends string = string> = {
  readonly code: Code;
  readonly message: string;
  readonly detail: { readonly [key: string]: Json };
};

/**
 * What a scanner reports, in the order of the text. `instance` counts from 0 per channel name.
 * The joined texts of one instance are its body; where they are split depends on how the input was split.
 */
export type ChannelEvent =
  | {
      readonly kind: 'opened';
      readonly channel: string;
      readonly instance: number;
      /** Names in lower case, values as written. */
      readonly attributes: Readonly<Record<string, string>>;
      /**
       * Set if no channel tag opened it: `<think>`, an object without tags, plain text taken as the answer, the provider's
       * reasoning, or a field of a decision.
       */
      readonly as?: 'think' | 'bare' | 'prose' | 'reasoning' | 'field';
    }
  | {
      readonly kind: 'text';
      readonly channel: string;
      readonly instance: number;
      readonly text: string;
    }
  | {
      readonly kind: 'closed';
      readonly channel: string;
      readonly instance: number;
      /** Closed by its own tag, by the opening of the next channel, or by the end of the output. */
      readonly how: 'tag' | 'implicit' | 'end';
    }
  | ({ readonly kind: 'notice' } & Notice<ScanNoticeCode>);

export const decisionChannel = 'ReactDecisionOutV2';

/** The channels that every agent has. */
export const declaredChannels: readonly ChannelSpec[] = [
  { name: 'thinking', format: 'markdown' },
  { name: decisionChannel, aliases: ['decision', 'action'], format: 'json' },
  { name: 'code', format: 'text', raw: true },
  { name: 'canvas', format: 'html' },
  { name: 'timeline_text', format: 'markdown' },
  { name: 'internal', format: 'markdown' },
  { name: 'summary', format: 'markdown' },
];
