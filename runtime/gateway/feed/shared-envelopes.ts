import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { Frame } from '../../engine/ports/bus.ts';
import type { Position } from './cursor.ts';

/** What the envelope of a frame depends on, besides the frame. */
type Subscriber = { readonly position: Position; readonly ts: string; readonly agent: string };

/** The envelope of a frame for the last subscriber: nearly always all subscribers are at the same position. */
const byFrame = new WeakMap<Frame, Subscriber & { readonly envelope: WireEnvelope }>();

/** Makes the envelope of a frame, or returns the one of another subscriber at the same position. */
export function sharedEnvelope(
  frame: Frame,
  subscriber: Subscriber,
  make: () => WireEnvelope,
): WireEnvelope {
  const known = byFrame.get(frame);
  if (known !== undefined && isSame(known, subscriber)) return known.envelope;
  const envelope = make();
  byFrame.set(frame, { ...subscriber, envelope });
  return envelope;
}

function isSame(known: Subscriber, { position, ts, agent }: Subscriber): boolean {
  const { seq, index, fence, number, since } = known.position;
  return (
    number === position.number &&
    seq === position.seq &&
    index === position.index &&
    fence === position.fence &&
    since === position.since &&
    known.ts === ts &&
    known.agent === agent
  );
}
