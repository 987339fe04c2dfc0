import { createFieldStream, type FieldEvent } from '../json/json-stream.ts';
import { isForeignCall } from '../protocol/foreign-text.ts';
import { bareObjectCharsMax } from '../protocol/limits.ts';

const actions: readonly string[] = ['call_tool', 'complete', 'exit'];
/** An object with an unknown action and one of these keys is not an answer either. */
const decisionKeys = /"(notes|tool_call|tool_id|params|final_answer)"\s*:/;
const word = /^\w+(?:\.\w+)*$/;

/** Reads a JSON object without tags, one character at a time, and determines whether it is a decision. */
export class BareObject {
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

  /** `open`: not known yet. `decision`: it is one. `ended`: the decision is complete. `call`: a tool call in the syntax of another protocol. */
  step(char: string): 'open' | 'decision' | 'ended' | 'call' | 'other' {
    this.text += char;
    for (const field of this.#fields.push(char)) this.#learn(field);
    const { outcome } = this.#fields;
    if (this.#isDecision) return outcome === 'done' ? 'ended' : 'decision';
    if (outcome === 'open' && this.text.length < bareObjectCharsMax) return 'open';
    return outcome === 'done' && this.#isCall ? 'call' : 'other';
  }

  get #isCall(): boolean {
    return isForeignCall(this.text) || (word.test(this.#action) && decisionKeys.test(this.text));
  }

  #learn({ path, kind, text }: FieldEvent): void {
    const isAction = path.length === 1 && path[0] === 'action';
    if (isAction && kind === 'text') this.#action += text;
    else if (isAction) {
      const isMeant = this.#isFirst && !this.#isStrict && word.test(this.#action);
      this.#isDecision ||= actions.includes(this.#action) || isMeant;
    }
    if (kind !== 'text') this.#isFirst = false;
  }
}
