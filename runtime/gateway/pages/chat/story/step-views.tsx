/// <reference lib="dom" />
import { type ReactNode, useState } from 'react';
import type { TextPart } from '../../../../client/index.ts';
import { GrowingText } from '../../shared/growing-text.tsx';
import { Prose } from '../../shared/prose.tsx';

/** Open while it grows, then closed, unless the user has chosen. */
export function ThinkingView({ part: { text, done } }: { part: TextPart }): ReactNode {
  const [choice, setChoice] = useState<boolean>();
  const isOpen = choice ?? !done;
  if (text.trim() === '') return null;
  return (
    <details
      className={`thinking ${done ? '' : 'live'}`}
      data-kind="thinking"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && setChoice(open)}
    >
      <summary>
        <span className="label">{done ? `Thought: ${firstLine(text)}` : 'Thinking'}</span>
      </summary>
      {/* Also while closed, so that the browser's search finds it. */}
      <GrowingText as="div" className="body" text={text.trim()} />
    </details>
  );
}

export function NoteView({ part: { text, done } }: { part: TextPart }): ReactNode {
  if (text.trim() === '') return null;
  return (
    <div className="note" data-kind="note">
      <Prose className="prose" text={text} done={done} />
    </div>
  );
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
