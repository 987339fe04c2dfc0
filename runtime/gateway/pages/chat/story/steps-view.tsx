/// <reference lib="dom" />
import { type ReactNode, useState } from 'react';
import type { StoryPart, TurnState } from '../../../../client/index.ts';
import { formatDuration } from '../state/format.ts';
import { PartView } from './part-view.tsx';

type Props = { readonly turn: TurnState; readonly steps: readonly StoryPart[] };

/** The steps of a turn that is over, as one line until it is opened. */
export function StepsView({ turn, steps }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="steps" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="label">{summaryOf(turn, steps)}</span>
      </summary>
      {isOpen && (
        <div className="step-list">
          {steps.map((part) => (
            <PartView key={part.key} part={part} bundle={turn.bundle} />
          ))}
        </div>
      )}
    </details>
  );
}

function summaryOf({ startedAt, end }: TurnState, steps: readonly StoryPart[]): string {
  const ms = Date.parse(end?.at ?? '') - Date.parse(startedAt);
  const time = Number.isFinite(ms) && ms >= 0 ? `Worked for ${formatDuration(ms)}` : 'Worked';
  const count = (kind: StoryPart['kind'], name: string) => {
    const n = steps.filter((part) => part.kind === kind).length;
    return n === 0 ? [] : [`${n} ${name}${n === 1 ? '' : 's'}`];
  };
  const failed = steps.filter((part) => part.kind === 'tool' && part.state === 'failed').length;
  const failures = failed === 0 ? [] : [`${failed} failed`];
  return [time, ...count('tool', 'tool call'), ...count('program', 'program'), ...failures].join(
    ' · ',
  );
}
