import type { FieldEvent } from '../json/json-stream.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { DecisionReader } from './decision-reader.ts';

/**
 * An event of a reply whose decisions are read while they are written: the beginning of a decision has its reader, each text
 * of it what that text adds to its fields.
 */
export type ReadEvent =
  | Exclude<ReplyEvent, { readonly kind: 'opened' | 'text' }>
  | (Extract<ReplyEvent, { readonly kind: 'opened' }> & { readonly decision?: DecisionReader })
  | (Extract<ReplyEvent, { readonly kind: 'text' }> & { readonly fields?: readonly FieldEvent[] });
