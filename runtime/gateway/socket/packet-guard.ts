import type { EventEmitter } from 'node:events';
import { jsonExcess } from '../../base/bounded-json.ts';
import { anonymousBytesMax } from '../auth/limits.ts';
import { formBytesMax } from '../input/limits.ts';

/** What a packet that is too expensive to parse is answered as: an event of this name, which only this guard makes. */
export const excessiveEvent = 'excessive_packet';

type Packet = { type: string; data?: unknown };

/** Type, number of binary parts, namespace and acknowledgement id: all before the JSON of an event. */
const eventHead = /^[25](?:\d{1,4}-)?(?:\/[^,[]{0,200},)?\d{0,15}(?=\[)/;
/** No packet type, so no parser takes it and the connection is closed. */
const invalidPacket = 'x';

/**
 * Looks at every packet of a connection before it is parsed. An event whose JSON is too expensive is replaced by one that
 * says so, which keeps its acknowledgement; anything else of that kind, and whatever is larger than a handshake before
 * `isAdmitted`, closes the connection.
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
