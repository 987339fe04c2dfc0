import { createFieldStream, type FieldEvent } from '../json/json-stream.ts';

/** What a decision asks for: all that is needed to judge whether it may stand where it stands. */
export type ActionIdentity =
  | { readonly action: 'call_tool'; readonly tool: string }
  | { readonly action: 'complete' | 'exit' };

/** Gathers the identity of one decision from its fields, whatever their order. */
interface IdentityReader {
  /** The next fields of the decision. The identity, from the moment it is known. */
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

/** The identity in the text of a decision, however broken its rest. */
export function identityIn(text: string): ActionIdentity | undefined {
  return createIdentityReader().push(createFieldStream().push(text));
}

/** The answer in the text of a decision, as far as it can be read. */
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
