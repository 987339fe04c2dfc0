/// <reference lib="dom" />
import { type ReactNode, useEffect } from 'react';
import type { ApprovalPart } from '../../../../client/index.ts';
import { ApprovalView } from './approval-view.tsx';

/** The approvals that the turn waits for. They stay above the message field, wherever the conversation is scrolled. */
export function ApprovalDock({ pending }: { pending: readonly ApprovalPart[] }): ReactNode {
  // The answered request was focused and is gone.
  useEffect(() => () => document.getElementById('text')?.focus(), []);
  return (
    <div id="dock">
      {pending.map((part) => (
        <ApprovalView key={part.request} part={part} />
      ))}
    </div>
  );
}
