import { renumberCitations } from '../../../channels/citations/citation-rewrite.ts';
import { selectedSidsMax } from '../../../timeline/limits.ts';
import { formatPath, isSelectionCut, parsePath } from '../../../timeline/paths.ts';
import type { ResolvedPath, TurnServices } from '../../ports/call-services.ts';
import type { Section } from './read-section.ts';

/** Adds the sources that come with a text to the pool and renumbers its citations accordingly. */
export async function withOwnSources(
  resolved: ResolvedPath,
  services: Pick<TurnServices, 'addSources'>,
): Promise<ResolvedPath> {
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

/** The rows of a selection that are not in the pool; undefined if all are. */
export function absentSources(asked: string, found: string): string | undefined {
  const [wanted, given] = [parsePath(asked), parsePath(found)];
  if (wanted?.family !== 'so' || given?.family !== 'so') return undefined;
  const sids = wanted.sids.filter((sid) => !given.sids.includes(sid));
  return sids.length === 0 ? undefined : formatPath({ ...wanted, sids });
}

/** A selection with more sources than the limit is read up to the limit, and the line says so. */
export function withSelection(asked: string, section: Section): Section {
  if (!isSelectionCut(asked)) return section;
  const { row, about } = section;
  return {
    ...section,
    row: { ...row, selection_cut: true },
    about: `${about} · only the first ${selectedSidsMax} sources of the selection: read the rest with another one`,
  };
}
