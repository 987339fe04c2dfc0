import { type ChannelSpec, declaredChannels } from '../channels/channel.ts';
import type { ResolveSource } from '../channels/citations.ts';
import { createGates } from '../channels/gates.ts';
import type { Identity } from '../channels/identity.ts';
import { createPacketCollector, type Packet } from '../channels/packet.ts';
import type { ActionRules } from '../channels/rules.ts';
import { createScanner } from '../channels/scanner.ts';
import { generationCharsMax } from './limits.ts';
import type { Publisher } from './publisher.ts';
import { Speaker } from './speaker.ts';
import type { Place } from './speech.ts';

export type Reply = {
  readonly packet: Packet;
  /** The reply as it came, tags included; the whole of what was read. */
  readonly raw: string;
  /** Raw answers that clients have seen, by decision instance. */
  readonly answers: ReadonlyMap<number, string>;
  /** Streams of written files that clients have seen, by decision instance. */
  readonly written: ReadonlyMap<number, string>;
};

/** Takes one reply in, piece by piece: the same text gives the same reply, however it was cut. */
export interface ReplyReader {
  push(text: string): void;
  end(): Reply;
}

type Reading = {
  /** Beyond the built-in ones. */
  readonly channels: readonly { readonly id: string; readonly format: ChannelSpec['format'] }[];
  readonly rules: ActionRules;
  readonly place: Place;
  readonly publisher: Publisher;
  readonly resolve: ResolveSource;
  /** It is known what a decision asks for, before it is written to its end. */
  readonly identified: (identity: Identity) => void;
};

export function createReplyReader(reading: Reading): ReplyReader {
  const { channels, rules, publisher, ...shown } = reading;
  const more = channels.map(({ id, format }) => ({ name: id, format }));
  const scanner = createScanner({ channels: [...declaredChannels, ...more] });
  const collector = createPacketCollector();
  const speaker = new Speaker(publisher, { ...shown, gates: createGates(rules) });
  let raw = '';
  const take = (events: ReturnType<typeof scanner.push>) => {
    collector.push(events);
    for (const event of events) speaker.take(event);
  };
  return {
    push(text) {
      const taken = text.slice(0, Math.max(0, generationCharsMax - raw.length));
      raw += taken;
      take(scanner.push(taken));
    },
    end() {
      take(scanner.end());
      const { answers, written } = speaker;
      return { packet: collector.packet(), raw, answers, written };
    },
  };
}
