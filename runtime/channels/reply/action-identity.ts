import { createFieldStream, type FieldEvent } from '../json/json-stream.ts';

/** The action and tool of a decision: all that the rules need to decide whether it is allowed. */
export type ActionIdentity =
  | { readonly action: 'call_tool'; readonly tool: string }
  | { readonly action: 'complete' | 'exit' };

/** Collects the identity of one decision from its fields, in any order. */
interface IdentityReader {
  /** Takes the next fields of the decision. Returns the identity once it is known. */
  push(fields: readonly FieldEvent[]): ActionIdentity | undefined;
}

export function createIdentityReader(): IdentityReader {
  const texts = new Map([
    ['action', ''],
    ['tool_call.tool_id', ''],
  ]);
  const whole = new Map<string, string>();
  let identity: ActionIdentity | undefined;
  return {
    push(fields) {
      for (const { path, kind, text } of fields) {
        const field = path.join('.');
        const before = texts.get(field);
        if (before !== undefined) texts.set(field, before + text);
        if (before !== undefined && kind === 'end') whole.set(field, before);
      }
      identity ??= toIdentity(whole);
      return identity;
    },
  };
}

/** The identity in the text of a decision, even if the rest of the text is broken. */
export function identityIn(text: string): ActionIdentity | undefined {
  return createIdentityReader().push(createFieldStream().push(text));
}

/** The readable part of the answer in the text of a decision. */
export function answerIn(text: string): string {
  return createFieldStream()
    .push(text)
    .filter(({ path, kind }) => kind === 'text' && path.length === 1 && path[0] === 'final_answer')
    .map((field) => field.text)
    .join('');
}

function toIdentity(fields: ReadonlyMap<string, string>): ActionIdentity | undefined {
  const action = fields.get('action');
  if (action === 'complete' || action === 'exit') return { action };
  const tool = fields.get('tool_call.tool_id')?.trim() ?? '';
  return action === 'call_tool' && tool !== '' ? { action, tool } : undefined;
}
