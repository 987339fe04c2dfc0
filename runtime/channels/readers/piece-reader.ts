import type { ReadEvent } from '../decision/read-event.ts';
import { type ChannelSpec, decisionChannel } from '../protocol/channel.ts';
import type { Protocol, ReplyPiece } from '../protocol/reply-piece.ts';
import { finalToolName, type ToolNames } from '../protocol/tool-names.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import { ChannelText } from './channel-text.ts';
import { InstanceNumbers, renumbering } from './instance-numbers.ts';
import { NativeText } from './native-text.ts';
import { ObjectText } from './object-text.ts';
import { readingDecisions } from './read-decisions.ts';
import { ReplyCalls } from './reply-calls.ts';
import type { SourceOptions, TextSource } from './text-source.ts';

export type PieceReaderOptions = {
  readonly protocol: Protocol;
  readonly channels: readonly ChannelSpec[];
  /** Plain text may be the answer, where the protocol says so. */
  readonly prose: boolean;
  readonly names: ToolNames;
  /** Whether a tool runs a program. */
  readonly isExec: (tool: string) => boolean;
};

/** Reads one reply of any protocol: the same pieces give the same events, however their texts are split. */
export interface PieceReader {
  push(piece: ReplyPiece): readonly ReadEvent[];
  end(): readonly ReadEvent[];
}

export function createPieceReader(options: PieceReaderOptions): PieceReader {
  return new AnyPieceReader(options);
}

class AnyPieceReader implements PieceReader {
  readonly #numbers = new InstanceNumbers();
  readonly #text: TextSource;
  readonly #calls: ReplyCalls;
  readonly #ofCalls: (events: readonly ReplyEvent[]) => readonly ReadEvent[];
  #reasoning: { readonly channel: string; readonly instance: number } | undefined;

  constructor(options: PieceReaderOptions) {
    const { protocol, channels, names, isExec } = options;
    const numbers = this.#numbers;
    const isObject = protocol === 'json' || protocol === 'plain';
    const beside = new Set(isObject ? channels.map(({ name }) => name).filter(isBeside) : []);
    const fields = { numbers, isExec, beside };
    const read = readingDecisions(protocol === 'channels' ? undefined : fields);
    this.#text = textOf(options, { numbers, read });
    this.#calls = new ReplyCalls({
      idOf: (name) => names.idOf(name),
      isFinal: (name) => name === finalToolName,
      takeNotes: () => this.#text.takeNotes?.() ?? '',
    });
    const called = readingDecisions({ ...fields, beside: new Set() });
    const renumber = renumbering(numbers);
    this.#ofCalls = (events) => called(events.map(renumber));
  }

  push(piece: ReplyPiece): readonly ReadEvent[] {
    if ('text' in piece && piece.text === '') return [];
    if (piece.kind === 'reasoning') return this.#reason(piece.text);
    const before = this.#endReasoning();
    return [...before, ...this.#take(piece)];
  }

  end(): readonly ReadEvent[] {
    const reasoned = this.#endReasoning();
    const calls = this.#ofCalls(this.#calls.end());
    return [...reasoned, ...calls, ...this.#text.end()];
  }

  #take(piece: Exclude<ReplyPiece, { kind: 'reasoning' }>): readonly ReadEvent[] {
    if (piece.kind === 'carry') return [];
    if (piece.kind === 'text') return this.#text.push(piece.text);
    const before = piece.kind === 'call' ? this.#text.decision() : [];
    return [...before, ...this.#ofCalls(this.#calls.push(piece))];
  }

  /** The provider's reasoning, which is not part of any protocol. */
  #reason(text: string): readonly ReplyEvent[] {
    const isNew = this.#reasoning === undefined;
    const open = this.#reasoning ?? {
      channel: 'thinking',
      instance: this.#numbers.next('thinking'),
    };
    this.#reasoning = open;
    const opened = { kind: 'opened', ...open, attributes: {}, as: 'reasoning' } as const;
    return [...(isNew ? [opened] : []), { kind: 'text', ...open, text }];
  }

  #endReasoning(): readonly ReplyEvent[] {
    const open = this.#reasoning;
    this.#reasoning = undefined;
    return open === undefined ? [] : [{ kind: 'closed', ...open, how: 'tag' }];
  }
}

function textOf(
  { protocol, channels, prose }: PieceReaderOptions,
  shared: SourceOptions,
): TextSource {
  switch (protocol) {
    case 'channels':
      return new ChannelText({ channels, prose }, shared);
    case 'native-tools':
      return new NativeText(channels, shared);
    default:
      return new ObjectText({ channels, prose }, shared);
  }
}

/** Channels that a decision object has as fields; the others are its own fields, or part of one. */
function isBeside(channel: string): boolean {
  return !decisionFields.includes(channel);
}

const decisionFields: readonly string[] = [
  ...[decisionChannel, 'code', 'action', 'notes', 'tool_call', 'final_answer'],
  ...['suggested_followups', 'output'],
];
