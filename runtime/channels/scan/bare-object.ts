import { createFieldStream, type FieldEvent } from '../json/json-stream.ts';
import { isForeignCall } from '../protocol/foreign-text.ts';
import { bareObjectCharsMax } from '../protocol/limits.ts';

const actions: readonly string[] = ['call_tool', 'complete', 'exit'];

/** Reads a JSON object without tags, one character at a time, and determines whether it is a decision. */
export class BareObject {
  text = '';
  readonly #fields = createFieldStream();
  #action = '';
  #isDecision = false;

  /** `open`: not known yet. `decision`: it is one. `ended`: the decision is complete. `call`: a tool call in the syntax of another protocol. */
  step(char: string): 'open' | 'decision' | 'ended' | 'call' | 'other' {
    this.text += char;
    for (const field of this.#fields.push(char)) this.#learn(field);
    const { outcome } = this.#fields;
    if (this.#isDecision) return outcome === 'done' ? 'ended' : 'decision';
    if (outcome === 'open' && this.text.length < bareObjectCharsMax) return 'open';
    return outcome === 'done' && isForeignCall(this.text) ? 'call' : 'other';
  }

  #learn({ path, kind, text }: FieldEvent): void {
    if (path.length !== 1 || path[0] !== 'action') return;
    if (kind === 'text') this.#action += text;
    else this.#isDecision ||= actions.includes(this.#action);
  }
}
