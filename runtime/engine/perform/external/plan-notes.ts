import type { Draft } from '../../../timeline/block.ts';
import type { TurnView } from '../../../timeline/view.ts';
import type { PlanEntry } from '../../ports/external-agent.ts';

const marks = { done: '✓', in_progress: '…', pending: '□' } as const;

/** The plan of an agent program as notes, unless it is unchanged. */
export function planNotes(turn: TurnView, steps: readonly PlanEntry[]): readonly Draft[] {
  if (steps.length === 0) return [];
  const lines = steps.map(({ text, status }, index) => `${marks[status]} [${index + 1}] ${text}`);
  const text = lines.join('\n').slice(0, notesCharsMax).toWellFormed();
  const before = turn.blocks.findLast(({ type }) => type === 'react.notes')?.text;
  if (before === text) return [];
  return [{ type: 'react.notes', turn: turn.id, author: 'agent', text, data: { plan: true } }];
}

const notesCharsMax = 8_000;
