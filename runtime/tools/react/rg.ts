import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { createTool } from '../create-tool.ts';
import { grouped } from '../cut.ts';
import { fileName } from '../file-path.ts';
import { isTextual } from '../mime.ts';
import type { CallContext, ToolOutcome } from '../tool.ts';
import { filesOf } from '../workspace.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import {
  rgContextLinesMax,
  rgDeadlineMs,
  rgFileBytesMax,
  rgFilesMax,
  rgLineChars,
  rgMatchesMax,
  rgPatternCharsMax,
  rgTotalBytesMax,
} from './limits.ts';
import { decode } from './read-text.ts';
import { type Scanned, scan } from './scan.ts';

const input = z.object({
  pattern: z
    .string()
    .max(rgPatternCharsMax)
    .default('')
    .describe('regular expression, line by line; empty lists files'),
  name_regex: z
    .string()
    .max(rgPatternCharsMax)
    .default('')
    .describe('regular expression on the file name'),
  root: z
    .string()
    .default('')
    .describe('only paths that begin so: outputs/ files/ attachments/ turn_<id>/'),
  context_lines: z.int().min(0).max(rgContextLinesMax).default(0),
  max_matches: z.int().min(1).max(rgMatchesMax).default(rgMatchesMax),
  max_files: z.int().min(1).max(rgFilesMax).default(rgFilesMax),
});

type Found = FoundFile & { readonly name: string };
type Texts = {
  readonly files: readonly { path: string; text: string }[];
  readonly skipped: readonly string[];
};

export const rgTool = createTool({
  id: 'react.rg',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Searches the text files of this turn (outputs/ files/ attachments/) and those brought by react.pull (turn_<id>/…) for a regular expression. ' +
    'Files of earlier turns that were not pulled are not searched: react.memsearch finds turns, react.pull brings their files.',
  input,
  run: async (asked, context) => {
    const pattern = checked(asked.pattern);
    const names = checked(asked.name_regex);
    const all = await candidates(context);
    const rooted = all.filter(({ name }) => name.startsWith(asked.root.replace(/^\.?\//, '')));
    const chosen = await named(rooted, names, context);
    const files = chosen.slice(0, asked.max_files);
    const left = chosen.length - files.length;
    if (pattern === '') return listing(files, left);
    const texts = await textsOf(files, context);
    const request = {
      pattern,
      files: texts.files,
      contextLines: asked.context_lines,
      matchesMax: asked.max_matches,
      lineChars: rgLineChars,
    };
    const scanned = await scan(request, { signal: context.signal, deadlineMs: rgDeadlineMs });
    return scanned ? found(scanned, texts, left) : tooSlow();
  },
});

/** The pattern, once it is known to be one. */
function checked(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return pattern;
  } catch (error) {
    throw new Refusal('rg_invalid_regex', String(error).slice(0, 300), { retryable: true });
  }
}

async function candidates(context: CallContext): Promise<readonly Found[]> {
  const { view, turn } = context;
  const own = view.turns.findLast(({ id }) => id === turn);
  const here = own ? filesOf(own).map((file) => ({ ...file, turn, name: file.local })) : [];
  const pulled: Found[] = [];
  for (const path of view.pulled) {
    const files = await findFiles(path, context);
    pulled.push(...files.map((file) => ({ ...file, name: `${file.turn}/${file.local}` })));
  }
  return [...here, ...pulled.filter((file) => file.turn !== turn)];
}

async function named(
  files: readonly Found[],
  names: string,
  { signal }: CallContext,
): Promise<readonly Found[]> {
  if (names === '') return files;
  const request = {
    pattern: names,
    files: files.map((file) => ({ path: file.path, text: fileName(file.name) })),
    contextLines: 0,
    matchesMax: files.length,
    lineChars: 1,
  };
  const scanned = await scan(request, { signal, deadlineMs: rgDeadlineMs });
  if (!scanned) throw new Refusal('rg_too_slow', 'name_regex takes too long. Make it simpler.');
  const kept = new Set(scanned.hits.map(({ path }) => path));
  return files.filter(({ path }) => kept.has(path));
}

async function textsOf(files: readonly Found[], { services }: CallContext): Promise<Texts> {
  const texts: { path: string; text: string }[] = [];
  const skipped: string[] = [];
  let left = rgTotalBytesMax;
  for (const file of files) {
    const readable = isTextual(file.mime) || file.mime === 'application/octet-stream';
    const fits = file.blob.size <= Math.min(left, rgFileBytesMax);
    const text = readable && fits ? decode(await services.bytes(file)) : undefined;
    if (text === undefined) skipped.push(file.path);
    else texts.push({ path: file.path, text });
    left -= text === undefined ? 0 : file.blob.size;
  }
  return { files: texts, skipped };
}

function listing(files: readonly Found[], left: number): ToolOutcome {
  const rows = files.map(({ path, name, mime, blob }) => ({ path, name, mime, size: blob.size }));
  const lines = rows.map(({ path, mime, size }) => `${path} · ${mime} · ${grouped(size)} bytes`);
  const preview = [...(lines.length > 0 ? lines : ['No files.']), ...more(left)].join('\n');
  return { result: { ok: true, ret: { files: rows, files_left: left } }, preview };
}

function found(scanned: Scanned, { skipped, files }: Texts, left: number): ToolOutcome {
  const { hits, matches, full } = scanned;
  const shown = hits.flatMap(({ path, matches: inFile }) => [
    path,
    ...inFile.map(({ line, preview, context }) => {
      const around =
        context.length > 0 ? `\n${context.map((text) => `      | ${text}`).join('\n')}` : '';
      return `  ${line}: ${preview}${around}`;
    }),
  ]);
  const head = `${grouped(matches)} matching lines in ${hits.length} of ${files.length} files${full ? ' (stopped at max_matches)' : ''}`;
  const skips =
    skipped.length > 0 ? [`not searched (no text, or too large): ${skipped.join(', ')}`] : [];
  const ret: Json = {
    hits: hits.map((hit) => ({ ...hit })),
    matches,
    full,
    skipped,
    files_left: left,
  };
  return {
    result: { ok: true, ret },
    preview: [head, ...shown, ...skips, ...more(left)].join('\n'),
  };
}

function more(left: number): readonly string[] {
  return left > 0 ? [`${grouped(left)} more files: narrow root or name_regex`] : [];
}

function tooSlow(): ToolOutcome {
  const message = `The search took longer than ${grouped(rgDeadlineMs)} ms. Make the pattern simpler or narrow root.`;
  return { result: { ok: false, error: { code: 'rg_too_slow', message, retryable: true } } };
}
