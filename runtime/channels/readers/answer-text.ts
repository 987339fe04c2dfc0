import { decisionChannel } from '../protocol/channel.ts';
import { proseHeldChars } from '../protocol/limits.ts';
import { BlankEnd, HeldText } from '../scan/held-text.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { InstanceNumbers } from './instance-numbers.ts';

const remarkChannel = 'timeline_text';

type Open = { readonly channel: string; readonly instance: number };

/**
 * Plain text of a reply that may have calls. Without a call it is the answer, known only at the end: its beginning waits,
 * then it streams as a decision to complete. If a call comes all the same, that decision is withdrawn and the text is a
 * remark, like all text after it.
 */
export class AnswerText {
  readonly #numbers: InstanceNumbers;
  #hasCall = false;
  /** The whole text so far, as long as it may become a remark. */
  readonly #text = new HeldText();
  #answer: Open | undefined;
  #remark: Open | undefined;
  readonly #blank = new BlankEnd();

  constructor(numbers: InstanceNumbers) {
    this.#numbers = numbers;
  }

  get isStreaming(): boolean {
    return this.#answer !== undefined;
  }

  say(text: string): readonly ReplyEvent[] {
    if (this.#hasCall) return this.#write(text);
    this.#text.add(text);
    if (this.#answer !== undefined) return this.#write(text);
    return this.#text.chars >= proseHeldChars ? this.#begin() : [];
  }

  /** A call begins. */
  call(): readonly ReplyEvent[] {
    const text = this.#text.take();
    const withdrawn = this.#withdraw();
    this.#blank.drop();
    this.#hasCall = true;
    return [...withdrawn, ...this.#write(text), ...this.#endRemark()];
  }

  /** Takes the text that waits: it is neither answer nor remark. */
  drop(): string {
    return this.isStreaming ? '' : this.#text.take();
  }

  end(followups: readonly string[]): readonly ReplyEvent[] {
    const begun = this.#answer === undefined && this.#text.chars > 0 ? this.#begin() : [];
    return [...begun, ...this.#endAnswer(followups), ...this.#endRemark()];
  }

  #begin(): readonly ReplyEvent[] {
    const instance = this.#numbers.next(decisionChannel);
    this.#answer = { channel: decisionChannel, instance };
    const head = '{"action":"complete","final_answer":"';
    return [
      { kind: 'opened', ...this.#answer, attributes: {} },
      { kind: 'text', ...this.#answer, text: head },
      ...this.#write(this.#text.text.trimStart()),
    ];
  }

  #withdraw(): readonly ReplyEvent[] {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer === undefined) return [];
    this.#numbers.takeBack(answer.channel);
    return [{ kind: 'withdrawn', ...answer }];
  }

  #write(text: string): readonly ReplyEvent[] {
    const said = this.#blank.push(text);
    if (said === '') return [];
    if (this.#answer !== undefined) {
      return [{ kind: 'text', ...this.#answer, text: JSON.stringify(said).slice(1, -1) }];
    }
    const opened = this.#remark === undefined;
    const remark = this.#remark ?? {
      channel: remarkChannel,
      instance: this.#numbers.next(remarkChannel),
    };
    this.#remark = remark;
    const shown = { kind: 'text' as const, ...remark, text: opened ? said.trimStart() : said };
    return opened ? [{ kind: 'opened', ...remark, attributes: {} }, shown] : [shown];
  }

  #endAnswer(followups: readonly string[]): readonly ReplyEvent[] {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer === undefined) return [];
    const offered =
      followups.length === 0 ? '' : `,"suggested_followups":${JSON.stringify(followups)}`;
    return [
      { kind: 'text', ...answer, text: `"${offered}}` },
      { kind: 'closed', ...answer, how: 'tag' },
    ];
  }

  #endRemark(): readonly ReplyEvent[] {
    const remark = this.#remark;
    this.#remark = undefined;
    this.#blank.drop();
    return remark === undefined ? [] : [{ kind: 'closed', ...remark, how: 'tag' }];
  }
}
