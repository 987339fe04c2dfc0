import { createCitationReplacer, type ResolveSource } from '../../channels/citations/citations.ts';
import { generationCharsMax } from '../limits.ts';
import { LiveStream, type RoundPlace, streamName } from '../live/live-stream.ts';
import type { Publisher, StreamHeader } from '../live/publisher.ts';

/** A reply whose whole text is the answer, apart from a scratchpad before it. */
export type AnswerReply = {
  /** The complete text that was read. */
  readonly raw: string;
  readonly thinking: string;
  readonly answer: string;
  /** The part of the answer that clients have seen. */
  readonly shown: string;
};

export interface AnswerReader {
  /** The reply has reached its maximum length: further text is dropped. */
  readonly isFull: boolean;
  push(text: string): void;
  end(): AnswerReply;
}

type ReaderOptions = {
  readonly place: RoundPlace;
  readonly publisher: Publisher;
  readonly resolve: ResolveSource;
  /** The answer is judged before it is shown. */
  readonly held: boolean;
};

const opening = /^\s*<(think|thinking)>/i;
/** What may still become the opening tag. */
const openingPrefix = /^\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?$/i;

/** Reads an answer in pieces and streams it: the same text gives the same reply, however it is split. */
export function createAnswerReader(reading: ReaderOptions): AnswerReader {
  const { held, resolve } = reading;
  const thinking = streamOf(reading, 'thinking');
  const answer = streamOf(reading, 'answer', held ? undefined : resolve);
  const split = new Splitter();
  let raw = '';
  const show = () => {
    const said = split.take();
    if (said.thinking !== '') thinking.write(said.thinking);
    if (said.thought) thinking.finish();
    if (said.answer !== '' && !held) answer.write(said.answer);
  };
  return {
    get isFull() {
      return raw.length >= generationCharsMax;
    },
    push(text) {
      const taken = text.slice(0, Math.max(0, generationCharsMax - raw.length));
      raw += taken;
      split.push(taken);
      show();
    },
    end() {
      split.end();
      show();
      thinking.finish();
      answer.finish();
      const { thinking: thoughts, answer: text } = split.all;
      return { raw, thinking: thoughts, answer: text, shown: held ? '' : text };
    },
  };
}

function streamOf(
  { place, publisher }: ReaderOptions,
  channel: 'thinking' | 'answer',
  resolve?: ResolveSource,
): LiveStream {
  const stream = streamName(place, channel, 0);
  const header: StreamHeader = { channel, instance: 0, stream, marker: channel };
  return new LiveStream({
    publisher,
    place,
    stream: () => header,
    ...(resolve ? { citations: createCitationReplacer({ resolve }) } : {}),
  });
}

/** Separates a leading scratchpad from the answer, whose leading blank space is dropped. */
class Splitter {
  #state: 'start' | 'thinking' | 'answer' = 'start';
  #waiting = '';
  #new = { thinking: '', answer: '' };
  #thought = false;
  readonly #all = { thinking: '', answer: '' };

  get all(): { readonly thinking: string; readonly answer: string } {
    return { thinking: this.#all.thinking.trim(), answer: this.#all.answer.trimEnd() };
  }

  push(text: string): void {
    this.#waiting += text;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'thinking') this.#think();
    if (this.#state === 'answer') this.#answer(this.#waiting);
  }

  /** What could still have become a tag is text. */
  end(): void {
    if (this.#state === 'thinking') this.#say('thinking', this.#waiting);
    else this.#answer(this.#waiting);
    this.#waiting = '';
  }

  /** The text since the last time. */
  take(): { readonly thinking: string; readonly answer: string; readonly thought: boolean } {
    const taken = { ...this.#new, thought: this.#thought };
    this.#new = { thinking: '', answer: '' };
    return taken;
  }

  #begin(): void {
    const [tag] = opening.exec(this.#waiting) ?? [];
    if (tag !== undefined) {
      this.#waiting = this.#waiting.slice(tag.length);
      this.#state = 'thinking';
    } else if (!openingPrefix.test(this.#waiting)) this.#state = 'answer';
  }

  #think(): void {
    const end = /<\/think(?:ing)?>/i.exec(this.#waiting);
    const last = this.#waiting.lastIndexOf('<');
    const known = end ? end.index : last < 0 ? this.#waiting.length : last;
    this.#say('thinking', this.#waiting.slice(0, known));
    this.#waiting = this.#waiting.slice(end ? known + end[0].length : known);
    if (!end) return;
    this.#thought = true;
    this.#state = 'answer';
  }

  #answer(text: string): void {
    this.#say('answer', this.#all.answer === '' ? text.trimStart() : text);
    this.#waiting = '';
  }

  #say(kind: 'thinking' | 'answer', text: string): void {
    this.#new[kind] += text;
    this.#all[kind] += text;
  }
}
