import type { ResolveSource } from '../../channels/citations/citations.ts';
import { type ChannelSpec, declaredChannels } from '../../channels/protocol/channel.ts';
import type { ActionIdentity } from '../../channels/reply/action-identity.ts';
import { createReleaseGates } from '../../channels/reply/release-gates.ts';
import { createReplyCollector, type ParsedReply } from '../../channels/reply/reply.ts';
import type { ActionRules } from '../../channels/reply/rules.ts';
import { createReplyScanner } from '../../channels/scan/reply-scanner.ts';
import type { StreamName } from '../../timeline/ids.ts';
import { generationCharsMax } from '../limits.ts';
import type { RoundPlace } from '../live/live-stream.ts';
import type { Publisher } from '../live/publisher.ts';
import { StreamRouter } from '../live/stream-router.ts';
import type { MeteredUsage } from '../model/usage-meter.ts';
import { proseMayAnswer } from './prose-answer.ts';

export type Reply = {
  readonly packet: ParsedReply;
  /** The complete text that was read, tags included. */
  readonly raw: string;
  /** Raw answers that clients have seen, by decision instance. */
  readonly answers: ReadonlyMap<number, string>;
  /** Streams of written files that clients have seen, by decision instance. */
  readonly written: ReadonlyMap<number, StreamName>;
  /** Notes that clients have seen, by decision instance. */
  readonly notes: ReadonlyMap<number, string>;
};

export type GeneratedReply = Reply &
  Omit<MeteredUsage, 'finish'> & {
    /** `violation`: stopped here, because the rest could not be used. */
    readonly finish: MeteredUsage['finish'] | 'violation';
    readonly costUsd: number;
    readonly ms: number;
    readonly firstTokenMs: number | undefined;
  };

/** Reads one reply in pieces: the same text gives the same reply, however it is split. */
export interface ReplyReader {
  /** The rest cannot be used: the generation may be stopped. */
  readonly cannotBecomeLegal: boolean;
  /** The reply has reached its maximum length: further text is dropped. */
  readonly isFull: boolean;
  push(text: string): void;
  end(): Reply;
}

type ReaderOptions = {
  /** Beyond the built-in channels. */
  readonly channels: readonly { readonly id: string; readonly format: ChannelSpec['format'] }[];
  readonly rules: ActionRules;
  /** Decides whether plain text may be the answer. */
  readonly context: Parameters<typeof proseMayAnswer>[0];
  readonly place: RoundPlace;
  readonly publisher: Publisher;
  readonly resolve: ResolveSource;
  /** Called when it is known what a decision requests, before it is complete. */
  readonly identified: (identity: ActionIdentity) => void;
};

export function createReplyReader(reading: ReaderOptions): ReplyReader {
  const { channels, rules, context, publisher, ...shown } = reading;
  const more = channels.map(({ id, format }) => ({ name: id, format }));
  const prose = proseMayAnswer(context);
  const scanner = createReplyScanner({ channels: [...declaredChannels, ...more], prose });
  const collector = createReplyCollector();
  const speaker = new StreamRouter(publisher, { ...shown, gates: createReleaseGates(rules) });
  let raw = '';
  const take = (events: ReturnType<typeof scanner.push>) => {
    collector.push(events);
    for (const event of events) speaker.take(event);
  };
  return {
    get cannotBecomeLegal() {
      return speaker.cannotBecomeLegal;
    },
    get isFull() {
      return raw.length >= generationCharsMax;
    },
    push(text) {
      const taken = text.slice(0, Math.max(0, generationCharsMax - raw.length));
      raw += taken;
      take(scanner.push(taken));
    },
    end() {
      take(scanner.end());
      const { answers, written, notes } = speaker;
      return { packet: collector.reply(), raw, answers, written, notes };
    },
  };
}
