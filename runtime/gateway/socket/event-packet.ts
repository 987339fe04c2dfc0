import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { routeOf } from '../../client/protocol/routes.ts';
import { toTextFrame } from './text-frame.ts';

const packets = new WeakMap<WireEnvelope, EventPacket>();
/** Type of an event without binary parts, in the default namespace. */
const socketIoEvent = '2';
const engineIoMessage = '4';

/** An envelope as a Socket.IO event. */
export class EventPacket {
  /** What Engine.IO sends as a message. */
  readonly text: string;
  #options: { compress: false; wsPreEncodedFrame: Uint8Array[] } | undefined;

  constructor(envelope: WireEnvelope) {
    this.text = `${socketIoEvent}${JSON.stringify([routeOf(envelope.type), envelope])}`;
  }

  /** For connections over WebSocket: Engine.IO writes this frame instead of making one for each connection. */
  get options(): { compress: false; wsPreEncodedFrame: Uint8Array[] } {
    const frame = () => toTextFrame(`${engineIoMessage}${this.text}`);
    this.#options ??= { compress: false, wsPreEncodedFrame: [frame()] };
    return this.#options;
  }
}

/** Made once for all subscribers that share the envelope. */
export function toPacket(envelope: WireEnvelope): EventPacket {
  const known = packets.get(envelope);
  if (known !== undefined) return known;
  const packet = new EventPacket(envelope);
  packets.set(envelope, packet);
  return packet;
}
