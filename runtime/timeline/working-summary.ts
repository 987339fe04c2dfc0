import { anchorCharsMax, anchorsMax } from './limits.ts';

/** Search terms for a turn: phrases, and the entities it was about. */
export type Anchors = { readonly phrases: readonly string[]; readonly entities: readonly string[] };

const heading = /(?:^|[\n/])[\s#*_-]*(?:retrieval[ _])?anchors?[*_]*\s*:/i;
const nextHeading =
  /(?:\n|\s\/\s)[\s#*_-]*(?:goal|outcome|key facts?|refs?|references|open|next|done)[*_]*\s*:/i;
const part = /\b(phrases|entities|times)["*_]*\s*:/gi;

/** The anchors of a working summary. Accepts them with or without labels and quotes, on one line or several. */
export function anchorsIn(summary: string): Anchors {
  const found = heading.exec(summary);
  if (!found) return { phrases: [], entities: [] };
  const after = summary.slice(found.index + found[0].length);
  const section = after.slice(0, nextHeading.exec(after)?.index ?? after.length);
  const phrases: string[] = [];
  const entities: string[] = [];
  for (const { label, text } of partsOf(section)) {
    (label === 'entities' ? entities : phrases).push(...itemsOf(text));
  }
  return { phrases: bounded(phrases), entities: bounded(entities) };
}

const outcome = /(?:^|[\n/])[\s#*_-]*outcome[*_]*\s*:[*_]*/i;

/** The outcome in a working summary; undefined if it has no such heading. */
export function outcomeIn(summary: string): string | undefined {
  const found = outcome.exec(summary);
  if (!found) return undefined;
  const after = summary.slice(found.index + found[0].length);
  const text = after.slice(0, nextHeading.exec(after)?.index ?? after.length).trim();
  return text === '' ? undefined : text;
}

/** The parts of the section by label; text without a label counts as phrases. */
function partsOf(section: string): readonly { label: string; text: string }[] {
  const labels = [...section.matchAll(part)];
  const first = labels[0]?.index ?? section.length;
  const labelled = labels.map((label, index) => ({
    label: (label[1] ?? '').toLowerCase(),
    text: section.slice(label.index + label[0].length, labels[index + 1]?.index ?? section.length),
  }));
  return [{ label: '', text: section.slice(0, first) }, ...labelled];
}

/** The quoted items if there are any; else items separated by commas, semicolons, bars and line breaks. */
function itemsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/["“«]([^"“”«»\n]+)["”»]/g)].map(([, inner = '']) => inner);
  const items = quoted.length > 0 ? quoted : text.split(/[,;|\n]/);
  return items.map((item) => item.replace(/^[\s*_[\]{}()-]+|[\s*_[\]{}().]+$/g, ''));
}

function bounded(items: readonly string[]): readonly string[] {
  const kept = items
    .filter((item) => /[\p{L}\p{N}]/u.test(item))
    .map((item) => item.slice(0, anchorCharsMax).toWellFormed());
  return [...new Set(kept)].slice(0, anchorsMax);
}
