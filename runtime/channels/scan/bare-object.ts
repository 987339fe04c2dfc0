import { createFieldStream, type FieldEvent } from '../json/json-stream.ts';
import { isForeignCall } from '../protocol/foreign-text.ts';
import { bareObjectCharsMax } from '../protocol/limits.ts';

const actions: readonly string[] = ['call_tool', 'complete', 'exit'];
/** An object with an unknown action and one of these keys is not an answer either. */
const decisionKeys = /"(notes|tool_call|tool_id|params|final_answer)"\s*:/;
const word = /^\w+(?:\.\w+)*$/;

/**
 * `open`: not known yet. `decision`: it is one. `ended`: the decision is complete. `call`: a tool call in the syntax of
 * another protocol.
 */
type Verdict = 'open' | 'decision' | 'ended' | 'call' | 'other';

/** Reads a JSON object without tags and determines whether it is a decision. */
export class BareObject {
  /** The text up to the point where its meaning was known. */
  text = '';
  readonly #isStrict: boolean;
  readonly #fields = createFieldStream();
  #action = '';
  #isFirst = true;
  #isDecision = false;

  /** Without `strict`, an object that begins with an unknown action is a decision too: it can only be meant as one. */
  constructor({ strict }: { readonly strict: boolean }) {
    this.#isStrict = strict;
  }

  /** Reads on until something is known, or up to `to`; returns the index after what it read. */
  read(
    text: string,
    from: number,
    to: number,
  ): { readonly next: number; readonly verdict: Verdict } {
    let next = from;
    let verdict: Verdict = this.#isDecision ? 'decision' : 'open';
    const known = verdict;
    while (next < to && verdict === known) {
      const start = next;
      next = this.#step(text, start, to);
      if (known === 'open') this.text += text.slice(start, next);
      verdict = this.#judge();
    }
    return { next, verdict };
  }

  #step(text: string, from: number, to: number): number {
    const isLimited = !this.#isDecision;
    const until = isLimited ? Math.min(to, from + bareObjectCharsMax - this.text.length) : to;
    const { next, news } = this.#fields.take(text, from, until);
    for (const field of news) this.#learn(field);
    return next;
  }

  #judge(): Verdict {
    const { outcome } = this.#fields;
    if (this.#isDecision) return outcome === 'done' ? 'ended' : 'decision';
    if (outcome === 'open' && this.text.length < bareObjectCharsMax) return 'open';
    return outcome === 'done' && this.#isCall ? 'call' : 'other';
  }

  get #isCall(): boolean {
    return isForeignCall(this.text) || (word.test(this.#action) && decisionKeys.test(this.text));
  }

  #learn({ field, kind, text }: FieldEvent): void {
    const isAction = field === 'action';
    if (isAction && kind === 'text') this.#action += text;
    else if (isAction) {
      const isMeant = this.#isFirst && !this.#isStrict && word.test(this.#action);
      this.#isDecision ||= actions.includes(this.#action) || isMeant;
    }
    if (kind !== 'text') this.#isFirst = false;
  }
}
