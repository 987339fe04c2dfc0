import type { JsonObject } from '../../base/json.ts';

export type EventStatus = 'started' | 'running' | 'completed' | 'error' | 'skipped' | 'update';

/** One piece of a stream. `offset` counts UTF-16 units from the start of its stream. */
export type WireDelta = {
  readonly channel: string;
  readonly instance: number;
  readonly stream: string;
  /** Where it shows: `thinking | answer | timeline_text | canvas | code | subsystem`. */
  readonly marker: string;
  readonly text: string;
  readonly offset: number;
  readonly completed: boolean;
  /** Name of the canvas or file that grows; `mime` and `title` as its channel declared them. */
  readonly artifact?: string;
  readonly mime?: string;
  readonly title?: string;
};

/**
 * What a server sends, on every transport. `seq` never falls within a conversation; `cursor` is opaque and resumes
 * right after this envelope. `ts` is the time of the block told, or of the block a delta comes after.
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

/** Why an attachment was refused. A later version may know more. */
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

/** `file` and `reason`: of an attachment that was refused. */
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
      /** The message id, as events name it. */
      readonly event_id: string;
      /** Seq of the last block of this event. */
      readonly seq: number;
      /** Right before this event: subscribing after it tells the event and all that follows. */
      readonly cursor: string;
      /** Of a socket. False: it follows 32 other conversations that are at work, and is told nothing of this one. */
      readonly subscribed?: boolean;
    }
  | (Refused & { readonly status: 'conflict' | 'refused' });

export type SubscribeAck =
  | {
      readonly ok: true;
      readonly head: number;
      readonly active_turn_id?: string;
      /** Right before what is told, where something came before it: `before` of the next request, or `after` of the same one. */
      readonly start?: string;
      /** What was told up to `before`. */
      readonly earlier?: readonly WireEnvelope[];
    }
  | Refused;

/** `already_consumed`: the model has read it. */
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
