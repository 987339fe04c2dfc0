import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { createTool } from '../create-tool.ts';
import { cutText } from '../cut.ts';
import { toRegex } from '../regex.ts';
import type { CallContext } from '../tool.ts';
import {
  rgContextLinesMax,
  rgDeadlineMs,
  rgFilesMax,
  rgMatchesMax,
  rgPatternCharsMax,
} from './limits.ts';
import { foundOutcome, listingOutcome } from './rg-outcome.ts';
import { type Place, placesAt } from './rg-places.ts';
import { lookedChars, type Pattern, search } from './rg-search.ts';
import { openPace, type Pace } from './scan.ts';

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

export const rgTool = createTool({
  id: 'react.rg',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Searches for a regular expression in the text files of this turn (outputs/ files/ attachments/) and those brought by react.pull (turn_<id>/…); with root timeline in everything said and done that is still in the timeline. ' +
    'For what is older: react.memsearch finds turns, react.pull brings their files.',
  input,
  run: async (asked, context) => {
    const pattern = asked.pattern === '' ? undefined : checked(asked.pattern);
    const pace = openPace({ signal: context.signal, deadlineMs: rgDeadlineMs });
    const named = await chosen(asked, context, pace);
    const { max_files } = asked;
    if (!pattern) return listingOutcome(named.slice(0, max_files), named.length - max_files);
    return foundOutcome(await search(named, { asked, pattern, pace, context }));
  },
});

/** Refusal `rg_invalid_regex`. */
function checked(text: string): Pattern {
  const regex = toRegex(text);
  if (regex.ok) return regex;
  throw new Refusal('rg_invalid_regex', regex.because, { retryable: true });
}

/** Refusal `rg_invalid_root` for a root under which there is nothing though there is something elsewhere. */
async function chosen(
  { root, name_regex }: Asked,
  context: CallContext,
  pace: Pace,
): Promise<readonly Place[]> {
  const places = await placesAt(root, context);
  if (places.length === 0 && root !== '' && (await placesAt('', context)).length > 0) {
    const message = `Nothing begins with “${root.slice(0, 200)}”. Without pattern and root, react.rg lists what there is.`;
    throw new Refusal('rg_invalid_root', message, { retryable: true });
  }
  if (name_regex === '') return places;
  const pattern = checked(name_regex);
  const named: Place[] = [];
  for (const place of places) {
    if (pace.over) break;
    await pace.pause();
    const name = place.name.slice(place.name.lastIndexOf('/') + 1);
    if (pattern.test(cutText(name, lookedChars(pattern)))) named.push(place);
  }
  return named;
}
