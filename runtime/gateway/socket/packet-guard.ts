import type { EventEmitter } from 'node:events';
import { jsonExcess } from '../../base/bounded-json.ts';
import { anonymousBytesMax } from '../auth/limits.ts';
import { formBytesMax } from '../input/limits.ts';

/** The event name that replaces a packet that is too expensive to parse; only this guard emits it. */
export const excessiveEvent = 'excessive_packet';

type Packet = { type: string; data?: unknown };

/** Type, number of binary parts, namespace and acknowledgement id: all before the JSON of an event. */
const eventHead = /^[25](?:\d{1,4}-)?(?:\/[^,[]{0,200},)?\d{0,15}(?=\[)/;
/** Not a valid packet type, so the parser closes the connection. */
const invalidPacket = 'x';

/**
 * Checks every packet of a connection before it is parsed. An event whose JSON is too expensive is replaced by one that
 * reports this and keeps its acknowledgement; other packets of that kind, and packets larger than a handshake before
 * `isAdmitted`, close the connection.
 */
export function guardPackets(
  connection: EventEmitter,
  { isAdmitted }: { isAdmitted: () => boolean },
): void {
  let binaryBytes = 0;
  const isTooMuch = ({ byteLength }: Uint8Array) => {
    binaryBytes += byteLength;
    return binaryBytes > formBytesMax || !isAdmitted();
  };
  connection.on('packet', (packet: Packet) => {
    const { type, data } = packet;
    if (type !== 'message') return;
    if (typeof data === 'string') {
      binaryBytes = 0;
      packet.data = isAdmitted() ? readable(data) : firstPacket(data);
    } else if (data instanceof Uint8Array && isTooMuch(data)) packet.data = invalidPacket;
  });
}

function firstPacket(text: string): string {
  return text.length > anonymousBytesMax || jsonExcess(text) !== undefined ? invalidPacket : text;
}

function readable(text: string): string {
  const because = jsonExcess(text);
  if (because === undefined) return text;
  const head = eventHead.exec(text)?.[0];
  return head === undefined ? invalidPacket : `${head}${JSON.stringify([excessiveEvent, because])}`;
}
