import type { JsonObject } from '../../../base/json.ts';
import { isRefusal, type Refusal } from '../../../base/refusal.ts';
import type { Attachment } from '../../ports/tool.ts';
import { grouped } from '../../text/cut-text.ts';
import type { Window, WindowRequest } from './text-window.ts';

/** One line about a path, and the text below it. `row` is its entry in the result value. */
export type Section = {
  readonly row: JsonObject & { readonly path: string; readonly status: string };
  readonly about: string;
  readonly text: string;
  readonly attachment?: Attachment;
  /** The part of the path that does not exist, if the rest does. */
  readonly absent?: string;
};

type Facts = JsonObject & { readonly path: string; readonly mime: string };
type TextFacts = Facts & { readonly characters: number };

export function textSection(window: Window, facts: TextFacts): Section {
  const { from, to, lines, start, end, tokens, clipped, next, hasAllLines, cutLine, text } = window;
  const status = clipped ? 'truncated_for_visible_context' : 'loaded';
  const on = next ? { next: { path: facts.path, ...definedFields(next) } } : {};
  const row = { ...facts, status, lines, from, to, start, end, tokens, ...on };
  const range =
    start >= facts.characters && facts.characters > 0 ? 'past the end' : `lines ${from}-${to}`;
  const where = `${range} of ${grouped(lines)}${cutLine ? ', inside a line' : ''} · ${facts.mime}`;
  const more =
    next && !hasAllLines
      ? ` · ${clipped ? 'clipped, ' : ''}read on with ${JSON.stringify(on.next)}`
      : '';
  const active = facts.path.startsWith('sk:') ? 'ACTIVE SKILL ' : '';
  return { row, about: `${active}${facts.path} · ${where}${more}`, text };
}

/** Without undefined fields. */
function definedFields(request: WindowRequest): JsonObject {
  return JSON.parse(JSON.stringify(request));
}

export function statsSection(facts: TextFacts, text: string): Section {
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const about = `${facts.path} · ${grouped(facts.characters)} characters, ${grouped(lines)} lines · ${facts.mime}`;
  return { row: { ...facts, status: 'stats_only', lines }, about, text: '' };
}

/** Other paths of the same read have used up the limits. */
export function overBudgetSection(facts: TextFacts): Section {
  const about = `${facts.path} · not shown, the limits of this read are spent: read it on its own`;
  const status = 'truncated_for_visible_context';
  return { row: { ...facts, status, start: 0, end: 0 }, about, text: '' };
}

export function alreadyShownSection(facts: Facts, at: string): Section {
  const row = { ...facts, status: 'exists_in_visible_context', visible_at: at };
  return { row, about: `${facts.path} · unchanged, already shown in ${at}`, text: '' };
}

type Bytes = Facts & { readonly bytes: number };

export function attachedSection(facts: Bytes, attachment: Attachment): Section {
  const row = { ...facts, status: 'attached', tokens: attachment.tokens };
  const about = `${facts.path} · ${facts.mime}, ${grouped(facts.bytes)} bytes, attached below`;
  return { row, about, text: '', attachment };
}

/** Not every model can see what is attached. */
export function withTextHint(
  section: Section,
  text: { readonly text: string } | undefined,
): Section {
  if (text === undefined) return section;
  const about = `${section.about}; its text has ${grouped(text.text.length)} characters: read it by line_start`;
  return { ...section, about };
}

/** Bytes that cannot be shown to the model. */
export function bytesSection(facts: Bytes, status: string, why: string): Section {
  const how = 'open it in a program (of an earlier turn: after react.pull)';
  const about = `${facts.path} · ${facts.mime}, ${grouped(facts.bytes)} bytes, ${why}: ${how}`;
  return { row: { ...facts, status }, about, text: '' };
}

/** A path that cannot be read does not keep the others from being read. */
export function failedSection(path: string, error: unknown): Section {
  if (!isRefusal(error)) throw error;
  return refusedSection(path, error);
}

function refusedSection(path: string, { code, message }: Refusal): Section {
  const row = { path, status: 'unreadable', code, message };
  return { row, about: `${path} · ${code}: ${message}`, text: '' };
}
