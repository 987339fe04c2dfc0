import type { FieldEvent } from '../json/json-stream.ts';

/** The action and tool of a decision: all that the rules need to decide whether it is allowed. */
export type ActionIdentity =
  | { readonly action: 'call_tool'; readonly tool: string }
  | { readonly action: 'complete' | 'exit' };

const tool = 'tool_call.tool_id';

/** Collects the identity of one decision from its fields, in any order. */
export class IdentityReader {
  #texts: { readonly [field: string]: string } = { action: '', [tool]: '' };
  #whole: { readonly [field: string]: string } = {};
  #identity: ActionIdentity | undefined;

  /** Undefined: not known yet. */
  get identity(): ActionIdentity | undefined {
    return this.#identity;
  }

  /** Takes the next field of the decision. */
  take({ field, kind, text }: FieldEvent): void {
    if (this.#identity !== undefined || (field !== 'action' && field !== tool)) return;
    const read = (this.#texts[field] ?? '') + text;
    this.#texts = { ...this.#texts, [field]: read };
    if (kind !== 'end') return;
    this.#whole = { ...this.#whole, [field]: read };
    this.#identity = toIdentity(this.#whole);
  }
}

function toIdentity(whole: { readonly [field: string]: string }): ActionIdentity | undefined {
  const { action, [tool]: written = '' } = whole;
  if (action === 'complete' || action === 'exit') return { action };
  const id = written.trim();
  return action === 'call_tool' && id !== '' ? { action, tool: id } : undefined;
}
