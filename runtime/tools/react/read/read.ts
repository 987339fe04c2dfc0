import { z } from 'zod';
import type { BlockPath } from '../../../timeline/paths.ts';
import { createTool } from '../../definition/create-tool.ts';
import type { ResolvedPath } from '../../ports/call-services.ts';
import type { CallContext } from '../../ports/tool.ts';
import { extractedText, readableText } from '../../refs/resolved-text.ts';
import { visibleAttachment, visibleCopy } from '../../refs/visible-copy.ts';
import { grouped } from '../../text/cut-text.ts';
import { checkAttachment, isAttachable } from './attachments.ts';
import { readCharsMax, readPathsMax, readResultChars, readTokensMax } from './limits.ts';
import { openBudget, type ReadBudget, takeWithin, windowLimits } from './read-budget.ts';
import { toReadOutcome } from './read-outcome.ts';
import {
  alreadyShownSection,
  attachedSection,
  bytesSection,
  failedSection,
  overBudgetSection,
  type Section,
  statsSection,
  textSection,
  withTextHint,
} from './read-section.ts';
import { absentSources, withOwnSources, withSelection } from './read-sources.ts';
import type { WindowRequest } from './text-window.ts';

const lineNumbers = z.enum(['disabled', 'lines', 'sparsed']);
const item = z.object({
  path: z.string(),
  line_start: z.int().min(1).optional(),
  line_count: z.int().min(1).optional(),
  offset_text_symbols: z.int().min(0).optional(),
  max_text_symbols: z.int().min(1).optional(),
  line_numbers: lineNumbers.optional(),
});
const input = z
  .object({
    paths: z.array(z.string()).default([]).describe('read whole'),
    items: z.array(item).default([]).describe('a part of each, by lines from 1 or by characters'),
    max_text_symbols: z.int().min(1).optional().describe('characters of each'),
    line_numbers: lineNumbers.optional().meta({ unlisted: true }),
    stats_only: z.boolean().default(false).describe('sizes only'),
  })
  .refine(
    ({ paths, items }) => paths.length + items.length > 0,
    'name something in paths or items',
  );

type ReadInput = z.output<typeof input>;
type Item = z.output<typeof item>;
type ReadState = {
  readonly context: CallContext;
  readonly budget: ReadBudget;
  readonly asked: ReadInput;
};

export const readTool = createTool({
  id: 'react.read',
  kind: 'control',
  traits: ['exploration'],
  concurrency: 'alone',
  resultLimit: readResultChars,
  description:
    `Reads anything that has a path. Shows up to ${grouped(readCharsMax)} characters or ${grouped(readTokensMax)} tokens of each, twice that in all, less in a small context; says how to read on. ` +
    'Images and PDFs are attached. What you can see unchanged above is not repeated.',
  input,
  run: async (asked, context) => {
    const items = [...asked.paths.map((path): Item => ({ path })), ...asked.items];
    const reading = { context, asked, budget: openBudget(context.contextTokens) };
    const sections: Section[] = [];
    const missing: string[] = [];
    for (const one of items.slice(0, readPathsMax)) {
      const section = await readItem(one, reading).catch((error: unknown) =>
        failedSection(one.path, error),
      );
      if (section === undefined) missing.push(one.path);
      else sections.push(section);
    }
    const left = items.slice(readPathsMax).map(({ path }) => path);
    return toReadOutcome({ sections, missing, left }, reading);
  },
});

async function readItem(one: Item, reading: ReadState): Promise<Section | undefined> {
  const { services } = reading.context;
  const found = await services.read(one.path);
  if (found === undefined) return undefined;
  const resolved = await withOwnSources(found, services);
  const content = await readableText(resolved, services);
  const whole =
    content.kind === 'text' ? content : await bytesOrText(one, { resolved, content }, reading);
  if ('row' in whole) return whole;
  const { path } = resolved;
  const facts = {
    path,
    mime: whole.mime ?? resolved.mime,
    characters: whole.text.length,
    sha256: whole.sha256,
  };
  const text = readText({ ...one, path }, { whole: whole.text, facts }, reading);
  const section = withSelection(one.path, text);
  const absent = absentSources(one.path, path);
  return absent === undefined ? section : { ...section, absent };
}

type ReadableContent = {
  readonly whole: string;
  readonly facts: { path: BlockPath; mime: string; characters: number; sha256: string };
};

function readText(
  { path, ...one }: Item,
  { whole, facts }: ReadableContent,
  reading: ReadState,
): Section {
  const { asked, budget, context } = reading;
  if (asked.stats_only) return statsSection(facts, whole);
  const { line_numbers = asked.line_numbers, ...range } = withDefault(one, asked);
  const byLine = path.startsWith('fi:') || range.line_start !== undefined;
  const numbers = path.startsWith('sk:')
    ? 'disabled'
    : (line_numbers ?? (byLine ? 'lines' : 'disabled'));
  const wanted = { path: facts.path, sha256: facts.sha256, text: whole };
  const seen = isWhole(range) ? visibleCopy(context.view, wanted) : undefined;
  if (seen !== undefined) return alreadyShownSection(facts, seen);
  const limits = windowLimits(path, budget);
  if (limits === undefined) return overBudgetSection(facts);
  return textSection(takeWithin(whole, { range, limits, numbers, budget }), facts);
}

function withDefault<T extends WindowRequest>(range: T, { max_text_symbols }: ReadInput): T {
  return max_text_symbols === undefined ? range : { max_text_symbols, ...range };
}

function isWhole(range: WindowRequest): boolean {
  return Object.values(range).every((value) => value === undefined);
}

/** A PDF is attached; its text is read if a part is requested, or if it cannot be attached. */
async function bytesOrText(
  { path: _, ...range }: Item,
  { resolved, content }: { resolved: ResolvedPath; content: UnreadableBytes },
  reading: ReadState,
) {
  const { services } = reading.context;
  const text = isWhole(range) ? undefined : await extractedText(resolved, services);
  if (text) return text;
  const section = await readBytes(resolved, content, reading);
  const { status } = section.row;
  if (status === 'exists_in_visible_context' || status === 'stats_only') return section;
  const own = await extractedText(resolved, services);
  return status === 'attached' ? withTextHint(section, own) : (own ?? section);
}

type UnreadableBytes = { readonly kind: 'binary' | 'too_large'; readonly bytes: number };

async function readBytes(
  resolved: ResolvedPath,
  { kind, bytes }: UnreadableBytes,
  { context, budget, asked }: ReadState,
): Promise<Section> {
  const { path, mime } = resolved;
  const facts = { path, mime, bytes };
  if (kind === 'too_large')
    return bytesSection(facts, 'too_large_for_visible_context_bytes', 'too large to show');
  if (asked.stats_only)
    return {
      row: { ...facts, status: 'stats_only' },
      about: `${path} · ${mime}, ${grouped(bytes)} bytes`,
      text: '',
    };
  if (!isAttachable(mime)) return bytesSection(facts, 'binary', 'not text');
  const seen = visibleAttachment(context.view, resolved);
  if (seen !== undefined) return alreadyShownSection(facts, seen);
  if (bytes > budget.attach.bytes)
    return bytesSection(facts, 'too_large_for_visible_context_bytes', 'too many bytes to attach');
  const judged = checkAttachment(resolved, await context.services.bytes(resolved), budget.attach);
  if (judged.ok) return attachedSection(facts, judged.attachment);
  return bytesSection(facts, 'not_attached', judged.because);
}
