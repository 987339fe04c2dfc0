/// <reference lib="dom" />
import { createContext, type ReactNode, useContext } from 'react';
import type { Source, TextPart } from '../../../../client/index.ts';
import { Prose } from '../../shared/prose.tsx';

/** The sources of the turn, whose links become numbers. */
export const SourcesContext = createContext<readonly Source[]>([]);

export function AnswerView({ part: { text, done } }: { part: TextPart }): ReactNode {
  const sources = useContext(SourcesContext);
  return (
    <Prose
      className={`answer prose ${done ? '' : 'growing'}`}
      text={text}
      done={done}
      sources={sources}
    />
  );
}
