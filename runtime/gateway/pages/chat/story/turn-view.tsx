/// <reference lib="dom" />
import { memo, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { StoryPart, TurnState } from '../../../../client/index.ts';
import { Sources, Suggestions } from '../rare/sources-view.tsx';
import { TurnFooter } from '../rare/turn-footer.tsx';
import { usePage } from '../state/page-context.ts';
import { SourcesContext } from './answer-view.tsx';
import { PartView } from './part-view.tsx';
import { StepsView } from './steps-view.tsx';

type Props = { readonly turn: TurnState; readonly isLast: boolean };

/** One turn. When it is over, its steps fold into one line, and the answer comes first. */
export const TurnView = memo(function TurnView({ turn, isLast }: Props): ReactNode {
  const { id, parts, sources, end } = turn;
  const isOver = end !== undefined;
  const article = useRef<HTMLElement>(null);
  useSettling(article, isOver);
  return (
    <article ref={article} className={`turn ${isOver ? 'over' : ''}`} data-turn={id} tabIndex={-1}>
      <SourcesContext value={sources}>
        <div className="items">
          {arrange(worthShowing(parts), isOver).map((each) =>
            'folded' in each ? (
              <StepsView key="steps" turn={turn} steps={each.folded} />
            ) : (
              <PartView
                key={each.key}
                part={each}
                bundle={turn.bundle}
                editable={isEditable(each, turn) ? id : undefined}
              />
            ),
          )}
        </div>
      </SourcesContext>
      <Sources sources={sources} />
      {end && isLast && <Suggestions suggestions={turn.suggestions} />}
      {end && <TurnFooter turn={turn} end={end} isLast={isLast} />}
    </article>
  );
});

/** When a turn ends before the reader's eyes, its answer has moved up: its beginning is shown, if it does not fit. */
function useSettling(article: RefObject<HTMLElement | null>, isOver: boolean): void {
  const { settle } = usePage();
  const wasOver = useRef(isOver);
  useEffect(() => {
    if (isOver && !wasOver.current && article.current) settle(article.current);
    wasOver.current = isOver;
  }, [article, isOver, settle]);
}

type Steps = { readonly folded: readonly StoryPart[] };

const foldedKinds: ReadonlySet<StoryPart['kind']> = new Set([
  ...(['thinking', 'note', 'program', 'tool', 'plan', 'status'] as const),
]);

/** The steps of a turn that is over stand together, where the first of them was. */
function arrange(parts: readonly StoryPart[], isOver: boolean): readonly (StoryPart | Steps)[] {
  const first = parts.findIndex(({ kind }) => foldedKinds.has(kind));
  if (!isOver || first === -1) return parts;
  const folded = parts.filter(({ kind }) => foldedKinds.has(kind));
  const isShown = ({ kind }: StoryPart) => !foldedKinds.has(kind);
  return [...parts.slice(0, first), { folded }, ...parts.slice(first).filter(isShown)];
}

/** A rewritten canvas is shown once, at its last position, and plan calls are hidden because the plan itself is shown. */
function worthShowing(parts: readonly StoryPart[]): readonly StoryPart[] {
  const last = new Map(
    parts.flatMap((part) => (part.kind === 'canvas' ? [[part.name, part]] : [])),
  );
  return parts.filter((part) => {
    if (part.kind === 'canvas') return part.name === '' || last.get(part.name) === part;
    return part.kind !== 'tool' || part.tool !== 'react.plan' || part.state === 'failed';
  });
}

function isEditable(part: StoryPart, { end }: TurnState): boolean {
  return end !== undefined && part.kind === 'message' && part.event === 'prompt';
}
