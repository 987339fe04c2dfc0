import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { createTool } from '../../definition/create-tool.ts';
import type { CallContext } from '../../ports/tool.ts';
import { cutText } from '../../text/cut-text.ts';
import { toRegex } from '../../text/regex.ts';
import {
  rgContextLinesMax,
  rgDeadlineMs,
  rgFilesMax,
  rgMatchesMax,
  rgPatternCharsMax,
} from './limits.ts';
import { foundOutcome, listingOutcome } from './rg-outcome.ts';
import { lineCharsSearched, type Pattern, search } from './rg-search.ts';
import { type SearchTarget, searchTargets } from './rg-targets.ts';
import { createPacer, type Pacer } from './scan-lines.ts';

const pattern = z.string().max(rgPatternCharsMax).default('');
const input = z.object({
  pattern: pattern.describe('RE2, line by line; empty lists files'),
  name_regex: pattern.describe('RE2 on the file name'),
  root: z
    .string()
    .default('')
    .describe('how names begin (outputs/, t3/), a path (tc:t3.), or timeline'),
  context_lines: z.int().min(0).max(rgContextLinesMax).default(0),
  max_matches: z.int().min(1).max(rgMatchesMax).default(rgMatchesMax).meta({ unlisted: true }),
  max_files: z.int().min(1).max(rgFilesMax).default(rgFilesMax).meta({ unlisted: true }),
  max_bytes: z.int().min(1).optional().meta({ unlisted: true }),
});
type RgInput = z.output<typeof input>;

export const rgTool = createTool({
  id: 'react.rg',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Searches the text files of this turn (outputs/ files/ attachments/) and pulled ones (t3/…); with root timeline all that the timeline still shows. ' +
    'Older: react.memsearch.',
  input,
  run: async (asked, context) => {
    const pattern = asked.pattern === '' ? undefined : toPattern(asked.pattern);
    const pace = createPacer({ signal: context.signal, deadlineMs: rgDeadlineMs });
    const named = await chooseTargets(asked, context, pace);
    const { max_files } = asked;
    const names = shortNames(context.view);
    if (!pattern) return listingOutcome(named.slice(0, max_files), named.length - max_files, names);
    return foundOutcome(await search(named, { asked, pattern, pace, context }), names);
  },
});

/** Refusal `rg_invalid_regex`. */
function toPattern(text: string): Pattern {
  const regex = toRegex(text);
  if (regex.ok) return regex;
  throw new Refusal('rg_invalid_regex', regex.because);
}

/** Refusal `rg_invalid_root` if nothing matches the root but other targets exist. */
async function chooseTargets(
  { root, name_regex }: RgInput,
  context: CallContext,
  pace: Pacer,
): Promise<readonly SearchTarget[]> {
  const places = await searchTargets(root, context);
  if (places.length === 0 && root !== '' && (await searchTargets('', context)).length > 0) {
    const message = `Nothing begins with “${root.slice(0, 200)}”. Without pattern and root, react.rg lists all files.`;
    throw new Refusal('rg_invalid_root', message);
  }
  if (name_regex === '') return places;
  const pattern = toPattern(name_regex);
  const named: SearchTarget[] = [];
  for (const place of places) {
    if (pace.over) break;
    await pace.pause();
    const name = place.name.slice(place.name.lastIndexOf('/') + 1);
    if (pattern.test(cutText(name, lineCharsSearched(pattern)))) named.push(place);
  }
  return named;
}
