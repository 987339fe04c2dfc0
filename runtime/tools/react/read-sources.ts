import { renumberCitations } from '../../channels/citation-rewrite.ts';
import { formatPath, parsePath } from '../../timeline/paths.ts';
import type { Resolved, TurnServices } from '../services.ts';

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
