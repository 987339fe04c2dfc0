import type { Json } from '../../base/json.ts';

export type ChannelFormat = 'markdown' | 'text' | 'json' | 'html';

/** A channel the model may open. */
export type ChannelSpec = {
  /** Canonical: events carry it however the model spells the tag. `[A-Za-z0-9_-]+`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Quoting means nothing in the body: every channel tag is a tag. */
  readonly raw?: boolean;
  /** Decides which quoting makes a tag in the body plain text. */
  readonly format: ChannelFormat;
  /** UTF-16 units of one body; the rest is dropped with a notice. */
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

/** Something about the output that its reader may want to know; never a reason to stop by itself. */
export type Notice<Code extends string = string> = {
  readonly code: Code;
  readonly message: string;
  readonly detail: { readonly [key: string]: Json };
};

/**
 * What a scanner reports, in the order of the text. `instance` counts from 0 per channel name.
 * Texts of one instance, joined, are its body; how they are cut depends on how the input was cut.
 */
export type ChannelEvent =
  | {
      readonly kind: 'opened';
      readonly channel: string;
      readonly instance: number;
      /** Names in lower case, values as written. */
      readonly attributes: Readonly<Record<string, string>>;
      /** Not opened by its own tag: by `<think>`, as an object without tags, or as plain text that is the answer. */
      readonly as?: 'think' | 'bare' | 'prose';
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
      /** By its own tag, by the next channel opening, or by the end of the output. */
      readonly how: 'tag' | 'implicit' | 'end';
    }
  | ({ readonly kind: 'notice' } & Notice<ScanNoticeCode>);

export const decisionChannel = 'ReactDecisionOutV2';

/** The channels every agent has. */
export const declaredChannels: readonly ChannelSpec[] = [
  { name: 'thinking', format: 'markdown' },
  { name: decisionChannel, aliases: ['decision', 'action'], format: 'json' },
  { name: 'code', format: 'text', raw: true },
  { name: 'canvas', format: 'html' },
  { name: 'timeline_text', format: 'markdown' },
  { name: 'internal', format: 'markdown' },
  { name: 'summary', format: 'markdown' },
];
