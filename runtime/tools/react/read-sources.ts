import { renumberCitations } from '../../channels/citation-rewrite.ts';
import { formatPath, parsePath } from '../../timeline/paths.ts';
import type { Resolved, TurnServices } from '../services.ts';

/** What brings sources along hands them to the pool, and its citations take the numbers they got there. */
export function withOwnSources(
  resolved: Resolved,
  services: Pick<TurnServices, 'addSources'>,
): Resolved {
  const { sources = [], ...rest } = resolved;
  if (sources.length === 0) return resolved;
  const own = new Map<number, number>();
  const listed = sources.flatMap(({ sid, ...row }, index) => {
    const [given] = services.addSources([row]);
    if (given) own.set(sid ?? index + 1, given.sid);
    return given ? [`- [[S:${given.sid}]] ${row.title} (${row.url})`] : [];
  });
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
