import { isJsonObject } from '../base/json.ts';
import type { Draft } from './block.ts';
import type { SnippetTarget } from './store.ts';
import { toColumn } from './stored.ts';

/** Longest text that is indexed of one block, in UTF-16 units. */
const snippetCharsMax = 8_000;

const targets: Readonly<Record<string, SnippetTarget>> = {
  'user.prompt': 'user',
  'user.attachment': 'attachment',
  'assistant.completion': 'assistant',
  'conv.working.summary': 'summary',
  'react.note': 'notes',
};

/** Events by their name only: nobody says anything with them. */
const wordless: ReadonlySet<string> = new Set([
  'external.call',
  'external.result',
  'external.recall',
]);

/** What of a block can be found again by its words; undefined for a block without a path or words. */
export function toSnippet(draft: Draft): { target: SnippetTarget; text: string } | undefined {
  const target = targets[draft.type] ?? (draft.type.startsWith('external.') ? 'user' : undefined);
  if (target === undefined || draft.path === undefined || wordless.has(draft.type)) return undefined;
  const words = `${filename(draft)}${draft.text ?? ''}`.slice(0, snippetCharsMax);
  const text = toColumn(words).trim();
  return text === '' ? undefined : { target, text };
}

function filename({ type, data }: Draft): string {
  if (type !== 'user.attachment' || !isJsonObject(data)) return '';
  return typeof data['filename'] === 'string' ? `${data['filename']}\n` : '';
}
