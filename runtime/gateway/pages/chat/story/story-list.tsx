/// <reference lib="dom" />
import type { ReactNode } from 'react';
import type { ConversationState } from '../../../../client/index.ts';
import { MessageView } from './message-view.tsx';
import { TurnView } from './turn-view.tsx';

/** All turns, then messages that are not part of a turn yet. */
export function StoryList({ state }: { state: ConversationState }): ReactNode {
  const { turns, unsent } = state;
  return (
    <>
      <div id="story">
        {turns.map((turn, at) => (
          <TurnView key={turn.id} turn={turn} isLast={at === turns.length - 1} />
        ))}
      </div>
      <div id="unsent">
        {unsent.map((part) => (
          <MessageView key={part.key} part={part} />
        ))}
      </div>
    </>
  );
}
