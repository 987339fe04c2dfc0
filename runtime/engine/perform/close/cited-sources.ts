import { citationsIn } from '../../../channels/citations/citations.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { SourceRow, TurnView } from '../../../timeline/view.ts';
import type { FinalAction } from '../../plan/actions.ts';
import { noticeOf } from '../../plan/notice.ts';

type CitedSources = {
  /** Sids of known sources, in order of first mention. */
  readonly used: readonly number[];
  /** Sids that no source has. */
  readonly unknown: readonly number[];
};

/**
 * The sources that an answer and its structured output cite. A source the model made up is not shown to people
 * either.
 */
export function citedSources(action: FinalAction, pool: readonly SourceRow[]): CitedSources {
  const beside = (action.citations ?? []).flatMap(({ sids }) => sids);
  const all = [...new Set([...citationsIn(action.answer ?? ''), ...beside])];
  const known = new Set(pool.map(({ sid }) => sid));
  return {
    used: all.filter((sid) => known.has(sid)),
    unknown: all.filter((sid) => !known.has(sid)),
  };
}

/** The model gets a notice, because people see nothing where such a citation was. `more`: blocks appended before it. */
export function unknownCitations(
  turn: TurnView,
  { unknown }: CitedSources,
  more: readonly Draft[],
): readonly Draft[] {
  if (unknown.length === 0) return [];
  const named = unknown.map((sid) => `[[S:${sid}]]`).join(' ');
  const text = `SOURCES has no ${named}. The answer was shown without. Cite only what SOURCES lists.`;
  return [
    noticeOf(turn, { text, data: { code: 'citation_unresolved', sids: [...unknown] }, more }),
  ];
}
