import type { JsonObject } from '../../base/json.ts';

export type EventStatus = 'started' | 'running' | 'completed' | 'error' | 'skipped' | 'update';

/** One piece of a stream. `offset` counts UTF-16 units from the start of its stream. */
export type WireDelta = {
  readonly channel: string;
  readonly instance: number;
  readonly stream: string;
  /** Where it is shown: `thinking | answer | timeline_text | canvas | code | subsystem`. */
  readonly marker: string;
  readonly text: string;
  readonly offset: number;
  readonly completed: boolean;
  /** Name of the canvas or file being written. `mime` and `title` are as its channel declared them. */
  readonly artifact?: string;
  readonly mime?: string;
  readonly title?: string;
};

/**
 * What a server sends, on every transport. `seq` never decreases within a conversation. `cursor` is opaque; a subscription
 * resumes right after it. `ts` is the time of the block, or of the block before a delta.
 */
export type WireEnvelope = {
  readonly v: 1;
  readonly type: string;
  readonly cursor: string;
  readonly seq: number;
  readonly ts: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly round?: number;
  readonly event: {
    readonly agent: string;
    readonly step: string;
    readonly status: EventStatus;
    readonly title?: string;
  };
  readonly data?: JsonObject;
  readonly delta?: WireDelta;
};

/** Why an attachment was refused. Later versions may add reasons. */
export type AttachmentReason =
  | 'empty'
  | 'too_large'
  | 'message_too_large'
  | 'unsupported_type'
  | 'type_mismatch'
  | 'not_text'
  | 'malformed'
  | 'truncated'
  | 'encrypted'
  | 'too_many_pages'
  | 'too_many_pixels'
  | 'too_complex'
  | 'archive'
  | 'nested_archive'
  | 'unsafe_names'
  | 'macros'
  | 'active_content'
  | 'external_content'
  | 'infected'
  | 'upload_not_found'
  | 'upload_incomplete'
  | 'digest_mismatch';

/** `file` and `reason` describe a refused attachment. */
export type WireError = {
  readonly code: string;
  readonly message: string;
  readonly retry_after_ms?: number;
  readonly file?: string;
  readonly reason?: string;
};

export type Refused = { readonly ok: false; readonly status?: string; readonly error: WireError };

export type MessageAck =
  | {
      readonly ok: true;
      readonly status: 'started' | 'queued' | 'duplicate';
      readonly conversation_id: string;
      readonly turn_id: string;
      /** The message id, as used in events. */
      readonly event_id: string;
      /** Seq of the last block of this event. */
      readonly seq: number;
      /** Right before this event: a subscription after it starts with this event. */
      readonly cursor: string;
      /** Sockets only. False: the socket already follows 32 active conversations and receives no events of this one. */
      readonly subscribed?: boolean;
      /** Only if the message has `options`. False: it joined an open turn, which keeps its own. */
      readonly options_applied?: boolean;
    }
  | (Refused & { readonly status: 'conflict' | 'refused' });

export type SubscribeAck =
  | {
      readonly ok: true;
      readonly head: number;
      readonly active_turn_id?: string;
      /** Right before the first event sent, if there are earlier ones: use it as `before` of the next request, or as `after` of the same one. */
      readonly start?: string;
      /** The envelopes up to `before`. */
      readonly earlier?: readonly WireEnvelope[];
    }
  | Refused;

/** `already_consumed`: the model has already read it. */
export type RecallAck =
  | { readonly ok: true; readonly status: 'recalled' | 'already_consumed' }
  | Refused;

export type StatusAck =
  | {
      readonly ok: true;
      readonly state: 'in_progress' | 'idle';
      readonly head: number;
      readonly active_turn_id?: string;
    }
  | Refused;
