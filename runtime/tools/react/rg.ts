import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { createTool } from '../create-tool.ts';
import { isTextual } from '../mime.ts';
import { type Regex, toRegex } from '../regex.ts';
import type { CallContext } from '../tool.ts';
import {
  rgContextLinesMax,
  rgDeadlineMs,
  rgFileBytesMax,
  rgFilesMax,
  rgLineChars,
  rgMatchesMax,
  rgPatternCharsMax,
  rgPlacesMax,
  rgTotalBytesMax,
} from './limits.ts';
import { wholeText } from './read-text.ts';
import { foundOutcome, type Hit, listingOutcome, type Search } from './rg-outcome.ts';
import { type Place, placesAt } from './rg-places.ts';
import { openPace, type Pace, scan } from './scan.ts';

const pattern = z.string().max(rgPatternCharsMax).default('');
const input = z.object({
  pattern: pattern.describe('regular expression (RE2), line by line; empty lists files'),
  name_regex: pattern.describe('regular expression on the file name'),
  root: z
    .string()
    .default('')
    .describe(
      'names that begin so: outputs/ files/ attachments/ turn_<id>/; timeline; or a path: tc:turn_<id>.',
    ),
  context_lines: z.int().min(0).max(rgContextLinesMax).default(0),
  max_matches: z.int().min(1).max(rgMatchesMax).default(rgMatchesMax),
  max_files: z.int().min(1).max(rgFilesMax).default(rgFilesMax),
  max_bytes: z.int().min(1).optional().describe('skip larger files'),
});
type Asked = z.output<typeof input>;
type Test = (line: string) => boolean;

export const rgTool = createTool({
  id: 'react.rg',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Searches for a regular expression in the text files of this turn (outputs/ files/ attachments/) and those brought by react.pull (turn_<id>/…); with root timeline in everything said and done that is still in the timeline. ' +
    'For what is older: react.memsearch finds turns, react.pull brings their files.',
  input,
  run: async (asked, context) => {
    const test = asked.pattern === '' ? undefined : checked(asked.pattern);
    const named = await chosen(asked, context);
    const places = named.slice(0, asked.max_files);
    const left = named.length - places.length;
    if (!test) return listingOutcome(places, left);
    const pace = openPace({ signal: context.signal, deadlineMs: rgDeadlineMs });
    return foundOutcome({ ...(await search(places, { asked, test, pace, context })), left });
  },
});

/** Refusal `rg_invalid_regex`. */
function checked(text: string): Test {
  const regex: Regex = toRegex(text);
  if (regex.ok) return regex.test;
  throw new Refusal('rg_invalid_regex', regex.because, { retryable: true });
}

/** Refusal `rg_invalid_root` for a root under which there is nothing though there is something elsewhere. */
async function chosen(
  { root, name_regex }: Asked,
  context: CallContext,
): Promise<readonly Place[]> {
  const places = (await placesAt(root, context)).slice(0, rgPlacesMax);
  if (places.length === 0 && root !== '' && (await placesAt('', context)).length > 0) {
    const message = `Nothing begins with “${root.slice(0, 200)}”. Without pattern and root, react.rg lists what there is.`;
    throw new Refusal('rg_invalid_root', message, { retryable: true });
  }
  if (name_regex === '') return places;
  const test = checked(name_regex);
  return places.filter(({ name }) => test(name.slice(name.lastIndexOf('/') + 1)));
}

type Searching = {
  readonly asked: Asked;
  readonly test: Test;
  readonly pace: Pace;
  readonly context: CallContext;
};

async function search(
  places: readonly Place[],
  searching: Searching,
): Promise<Omit<Search, 'left'>> {
  const { asked, test, pace } = searching;
  const request = { test, contextLines: asked.context_lines, lineChars: rgLineChars };
  const hits: Hit[] = [];
  const skipped: string[] = [];
  let [matches, bytesLeft, searched] = [0, rgTotalBytesMax, 0];
  for (const place of places) {
    if (matches >= asked.max_matches || pace.over) break;
    const text = await textOf(place, bytesLeft, searching);
    if (text === undefined) {
      skipped.push(place.path);
      continue;
    }
    searched += 1;
    bytesLeft -= place.size ?? 0;
    const lines = text.split('\n');
    const matchesMax = asked.max_matches - matches;
    const found = await scan(lines, { ...request, matchesMax }, pace);
    matches += found.length;
    if (found.length > 0)
      hits.push({ place, matches: found, lines: lines.length, chars: text.length });
  }
  const full = matches >= asked.max_matches;
  return { hits, matches, skipped, searched, full, slow: pace.over && !full };
}

async function textOf(
  { path, mime, size = 0 }: Place,
  bytesLeft: number,
  { asked, context }: Searching,
): Promise<string | undefined> {
  const readable = mime === undefined || isTextual(mime) || mime === 'application/octet-stream';
  const most = Math.min(bytesLeft, rgFileBytesMax, asked.max_bytes ?? rgFileBytesMax);
  if (!readable || size > most) return undefined;
  const resolved = await context.services.read(path);
  const whole = resolved && (await wholeText(resolved, context.services));
  return whole?.kind === 'text' ? whole.text : undefined;
}
