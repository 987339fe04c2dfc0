import { z } from 'zod';
import type { Json, JsonObject } from '../../base/json.ts';
import { createTool } from '../create-tool.ts';
import { grouped } from '../cut.ts';
import type { CallContext, ToolOutcome } from '../tool.ts';
import { readCharsMax, readFrameChars, readPathsMax, readTokensMax } from './limits.ts';
import { wholeText } from './read-text.ts';
import { visibleCopy } from './visible-copy.ts';
import { type LineNumbers, takeWindow, type Window, type WindowRequest } from './window.ts';

const item = z.object({
  path: z.string(),
  line_start: z.int().min(1).optional(),
  line_count: z.int().min(1).optional(),
  offset_text_symbols: z.int().min(0).optional(),
  max_text_symbols: z.int().min(1).optional(),
});
const input = z
  .object({
    paths: z.array(z.string()).max(readPathsMax).default([]).describe('read whole'),
    items: z
      .array(item)
      .max(readPathsMax)
      .default([])
      .describe('read a part of each: by lines, 1-based, or by characters'),
    line_numbers: z.enum(['disabled', 'lines', 'sparsed']).default('lines'),
    stats_only: z.boolean().default(false).describe('sizes without the text'),
  })
  .refine(
    ({ paths, items }) => paths.length + items.length > 0,
    'name something in paths or items',
  );

type Item = z.output<typeof item>;
type Options = { readonly numbers: LineNumbers; readonly statsOnly: boolean };

/** One line about a path, and the text below it. `row` is what the result keeps. */
type Section = { readonly row: JsonObject; readonly about: string; readonly text: string };
type Budget = { chars: number; tokens: number };

export const readTool = createTool({
  id: 'react.read',
  kind: 'control',
  traits: ['exploration'],
  resultLimit: readCharsMax + readFrameChars,
  description:
    'Reads anything that has a path: ar: tc: fi: so: ws: su: sk: ks:, also of earlier turns and, with conv_<id>. after the colon, of your other conversations. ' +
    `Shows up to ${grouped(readCharsMax)} characters or ${grouped(readTokensMax)} tokens in all; what is clipped says how to read on. ` +
    'Line numbers are for display only and no part of the text. What you have already read unchanged in this turn is not repeated.',
  input,
  run: async ({ paths, items, line_numbers, stats_only }, context) => {
    const asked = [...paths.map((path): Item => ({ path })), ...items].slice(0, readPathsMax);
    const budget = { chars: readCharsMax, tokens: readTokensMax };
    const sections: Section[] = [];
    const missing: string[] = [];
    for (const one of asked) {
      const section = await readItem(one, {
        budget,
        context,
        numbers: line_numbers,
        statsOnly: stats_only,
      });
      if (section) sections.push(section);
      else missing.push(one.path);
    }
    return toOutcome(sections, missing, budget);
  },
});

async function readItem(
  { path: asked, ...range }: Item,
  options: Options & { budget: Budget; context: CallContext },
): Promise<Section | undefined> {
  const { context, statsOnly } = options;
  const resolved = await context.services.read(asked);
  if (resolved === undefined) return undefined;
  const { path, mime } = resolved;
  const whole = await wholeText(resolved, context.services);
  if (whole.kind !== 'text')
    return bytesSection({ path, mime, status: whole.kind, bytes: whole.bytes });
  const facts = { path, mime, characters: whole.text.length, sha256: whole.sha256 };
  if (statsOnly) return statsSection(facts, whole.text);
  const seen = isWhole(range) ? visibleCopy(context.view, path, whole.sha256) : undefined;
  if (seen !== undefined) {
    const row = { ...facts, status: 'exists_in_visible_context', visible_at: seen };
    return { row, about: `${path} · unchanged, already shown in ${seen}`, text: '' };
  }
  if (options.budget.chars <= 0 || options.budget.tokens <= 0) {
    const about = `${path} · not shown, the limits of this read are spent: read it on its own`;
    return { row: { ...facts, status: 'clipped', start: 0, end: 0 }, about, text: '' };
  }
  return textSection(takeWithin(whole.text, range, options), facts);
}

function takeWithin(
  text: string,
  range: WindowRequest,
  { budget, numbers }: Options & { budget: Budget },
): Window {
  const window = takeWindow(text, range, { ...budget, numbers });
  budget.chars = Math.max(0, budget.chars - window.text.length);
  budget.tokens = Math.max(0, budget.tokens - window.tokens);
  return window;
}

function isWhole(range: WindowRequest): boolean {
  return Object.values(range).every((value) => value === undefined);
}

function textSection(window: Window, facts: JsonObject & { readonly path: string }): Section {
  const { from, to, lines, start, end, tokens, clipped, next, text } = window;
  const status = clipped ? 'clipped' : 'loaded';
  const row = {
    ...facts,
    status,
    lines,
    from,
    to,
    start,
    end,
    tokens,
    ...(next ? { next: { path: facts.path, ...toJson(next) } } : {}),
  };
  const on = next ? ` · ${clipped ? 'clipped, ' : ''}read on with ${JSON.stringify(row.next)}` : '';
  const where = `lines ${from}-${to} of ${grouped(lines)} · ${facts['mime']}`;
  return { row, about: `${facts.path} · ${where}${on}`, text };
}

/** Without what was not asked. */
function toJson(request: WindowRequest): JsonObject {
  return JSON.parse(JSON.stringify(request));
}

function statsSection(
  facts: JsonObject & { readonly path: string; readonly characters: number },
  text: string,
): Section {
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const about = `${facts.path} · ${grouped(facts.characters)} characters, ${grouped(lines)} lines · ${facts['mime']}`;
  return { row: { ...facts, status: 'stats', lines }, about, text: '' };
}

function bytesSection(row: { path: string; mime: string; status: string; bytes: number }): Section {
  const why = row.status === 'binary' ? 'no text' : 'too large to show';
  const about = `${row.path} · ${row.mime}, ${grouped(row.bytes)} bytes, ${why}: open it in a program (of an earlier turn: after react.pull)`;
  return { row, about, text: '' };
}

function toOutcome(
  sections: readonly Section[],
  missing: readonly string[],
  left: Budget,
): ToolOutcome {
  const shown = sections.map(({ about, text }, index) => {
    const body = text === '' ? '' : `\n${text.endsWith('\n') ? text : `${text}\n`}`;
    return `[${index + 1}] ${about}${body}`;
  });
  const gone = missing.length > 0 ? [`missing (nothing is there): ${missing.join(', ')}`] : [];
  const ret: Json = {
    paths: sections.map(({ row }) => row),
    missing,
    total_tokens: readTokensMax - left.tokens,
    limits: { characters: readCharsMax, tokens: readTokensMax },
  };
  return { result: { ok: true, ret }, preview: [...shown, ...gone].join('\n') };
}
