import { citationsIn } from '../channels/citations.ts';
import type { Draft } from '../timeline/block.ts';
import { paths } from '../timeline/paths.ts';
import type { SourceRow, TurnView } from '../timeline/view.ts';
import type { FinalAction } from './actions.ts';

export type Cited = {
  /** Sids of the pool, in order of first mention. */
  readonly used: readonly number[];
  /** Sids that no source has. */
  readonly unknown: readonly number[];
};

/** What an answer and its structured output cite. A source the model made up is none for people either. */
export function citedBy(action: FinalAction, pool: readonly SourceRow[]): Cited {
  const beside = (action.citations ?? []).flatMap(({ sids }) => sids);
  const all = [...new Set([...citationsIn(action.answer ?? ''), ...beside])];
  const known = new Set(pool.map(({ sid }) => sid));
  return {
    used: all.filter((sid) => known.has(sid)),
    unknown: all.filter((sid) => !known.has(sid)),
  };
}

/** Told, because people see nothing where such a citation stood. */
export function unknownCitations(turn: TurnView, { unknown }: Cited): readonly Draft[] {
  if (unknown.length === 0) return [];
  const n = turn.blocks.filter(({ type }) => type === 'react.notice').length + 1;
  const named = unknown.map((sid) => `[[S:${sid}]]`).join(' ');
  return [
    {
      type: 'react.notice',
      turn: turn.id,
      author: 'system',
      path: paths.notice(turn.id, n),
      text: `SOURCES has no ${named}. The answer was shown without. Cite only what SOURCES lists.`,
      data: { code: 'citation_unresolved', sids: [...unknown] },
    },
  ];
}
