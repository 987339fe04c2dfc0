import { isJsonObject, type Json } from '../../base/json.ts';
import type { Draft } from '../block.ts';
import type { SnippetTarget } from '../ports/store.ts';
import { toColumn } from '../ports/store-rules.ts';

/** Maximum length of the indexed text of one block, in UTF-16 units. */
const snippetCharsMax = 8_000;

/** `heading`: the subject of the text (anchors, a file name); it has more weight than the text. */
export type SnippetText = {
  readonly target: SnippetTarget;
  readonly heading: string;
  readonly text: string;
};

const targets: Readonly<Record<string, SnippetTarget>> = {
  'user.prompt': 'user',
  'user.attachment': 'attachment',
  'assistant.completion': 'assistant',
  'conv.working.summary': 'summary',
  'react.note': 'notes',
};

/** The searchable text of a block; undefined for a block without a path or text. */
export function toSnippet(draft: Draft): SnippetText | undefined {
  const target = targetOf(draft);
  if (target === undefined || draft.path === undefined) return undefined;
  const name = filename(draft);
  const words = `${name === '' ? '' : `${name}\n`}${draft.text ?? ''}`;
  const text = clean(words).trim();
  const heading = clean(name === '' ? anchors(draft) : name);
  return text === '' ? undefined : { target, heading, text };
}

/** Separates heading and text in their common column; neither can contain it. */
const separator = '\u001f';

export function toIndexedText({ heading, text }: SnippetText): string {
  return heading === '' ? text : `${heading}${separator}${text}`;
}

/** Tools that change nothing and only retrieve earlier content. */
export const recoveryTools: readonly string[] = [
  'react.memsearch',
  'react.read',
  'react.rg',
  'react.pull',
  'react.checkout',
  'react.plan',
  'react.hide',
];

/** The turn only searched and read earlier content, which can be found without this turn. */
export function isRecovery(tools: readonly string[]): boolean {
  return tools.includes('react.memsearch') && tools.every((tool) => recoveryTools.includes(tool));
}

function targetOf({ type }: Draft): SnippetTarget | undefined {
  // A recall has the path of the recalled event and no text of its own.
  const isEvent = type.startsWith('external.') && type !== 'external.recall';
  return targets[type] ?? (isEvent ? 'user' : undefined);
}

function clean(text: string): string {
  return toColumn(text.slice(0, snippetCharsMax)).replaceAll(separator, ' ');
}

function filename({ type, data }: Draft): string {
  if (type !== 'user.attachment' || !isJsonObject(data)) return '';
  return typeof data['filename'] === 'string' ? data['filename'] : '';
}

function anchors({ type, data }: Draft): string {
  if (type !== 'conv.working.summary' || !isJsonObject(data)) return '';
  const { anchors: said } = data;
  return isJsonObject(said)
    ? [...wordsOf(said['phrases']), ...wordsOf(said['entities'])].join(', ')
    : '';
}

function wordsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
}
