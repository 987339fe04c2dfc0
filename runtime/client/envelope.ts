import type { JsonObject } from '../base/json.ts';

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

export type WireError = {
  readonly code: string;
  readonly message: string;
  readonly retry_after_ms?: number;
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
    }
  | (Refused & { readonly status: 'conflict' | 'refused' });

export type SubscribeAck =
  | { readonly ok: true; readonly head: number; readonly active_turn_id?: string }
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
