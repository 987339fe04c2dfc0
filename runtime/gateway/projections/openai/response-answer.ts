import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { Projection, SseFrame } from '../projection.ts';
import { ResponseEvents, type ResponseOptions } from './response-events.ts';

/** A turn as one response that is not streamed. The only frame is the last one, and it is the whole body. */
export class ResponseAnswer implements Projection {
  readonly #events: ResponseEvents;

  constructor(options: ResponseOptions) {
    this.#events = new ResponseEvents(options);
  }

  get isOver(): boolean {
    return this.#events.isOver;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const frames = this.#events.take(envelope);
    if (frames.length === 0 || !this.#events.isOver) return [];
    return [{ data: JSON.stringify(this.#events.response) }];
  }
}
