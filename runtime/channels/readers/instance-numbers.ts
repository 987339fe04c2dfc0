import { invariant } from '../../base/assert.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';

/** Numbers the instances of each channel over all sources of one reply, in the order in which they open. */
export class InstanceNumbers {
  readonly #next = new Map<string, number>();

  next(channel: string): number {
    const number = this.#next.get(channel) ?? 0;
    this.#next.set(channel, number + 1);
    return number;
  }

  /** The last instance of this channel was withdrawn: its number is free again. */
  takeBack(channel: string): void {
    this.#next.set(channel, (this.#next.get(channel) ?? 1) - 1);
  }
}

/** Gives the events of one source, which counts its own instances, the numbers of the whole reply. */
export function renumbering(numbers: InstanceNumbers): (event: ReplyEvent) => ReplyEvent {
  const known = new Map<string, number>();
  return (event) => {
    if (!('channel' in event)) return event;
    const { kind, channel, instance: own } = event;
    const key = `${channel} ${own}`;
    if (kind === 'opened') known.set(key, numbers.next(channel));
    const instance = known.get(key);
    invariant(instance !== undefined, 'an instance opens before its other events');
    if (kind === 'withdrawn') numbers.takeBack(channel);
    return { ...event, instance };
  };
}
