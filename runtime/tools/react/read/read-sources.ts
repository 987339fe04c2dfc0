import { renumberCitations } from '../../../channels/citations/citation-rewrite.ts';
import { selectedSidsMax } from '../../../timeline/limits.ts';
import { formatPath, isSelectionCut, parsePath } from '../../../timeline/paths.ts';
import type { Resolved, TurnServices } from '../../ports/call-services.ts';
import type { Section } from './read-section.ts';

/** What brings sources along hands them to the pool, and its citations take the numbers they got there. */
export async function withOwnSources(
  resolved: Resolved,
  services: Pick<TurnServices, 'addSources'>,
): Promise<Resolved> {
  const { sources = [], ...rest } = resolved;
  if (sources.length === 0) return resolved;
  const own = new Map<number, number>();
  const listed: string[] = [];
  for (const [index, { sid, ...row }] of sources.entries()) {
    const [given] = await services.addSources([row]);
    if (!given) continue;
    own.set(sid ?? index + 1, given.sid);
    listed.push(`- [[S:${given.sid}]] ${row.title} (${row.url})`);
  }
  const text = renumberCitations(rest.text ?? '', (sid) => own.get(sid));
  return { ...rest, text: [text, '', 'Sources, now in the pool:', ...listed].join('\n') };
}

/** The rows of a selection that are not in the pool; undefined where all of them are. */
export function absentSources(asked: string, found: string): string | undefined {
  const [wanted, given] = [parsePath(asked), parsePath(found)];
  if (wanted?.family !== 'so' || given?.family !== 'so') return undefined;
  const sids = wanted.sids.filter((sid) => !given.sids.includes(sid));
  return sids.length === 0 ? undefined : formatPath({ ...wanted, sids });
}

/** A selection that names more sources than one path may is read as far as it goes, and told so. */
export function withSelection(asked: string, section: Section): Section {
  if (!isSelectionCut(asked)) return section;
  const { row, about } = section;
  return {
    ...section,
    row: { ...row, selection_cut: true },
    about: `${about} · only the first ${selectedSidsMax} that the selection names: read the rest by another`,
  };
}
