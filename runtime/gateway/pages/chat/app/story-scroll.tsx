/// <reference lib="dom" />
import {
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react';
import { FirstMessages, LoadEarlier, Missing, StoryList } from '../later/later.ts';
import type { ConversationProps } from './conversation-view-props.ts';
import { useFollowEnd } from './use-follow-end.ts';
import { turnsLoaded } from './use-open-conversation.ts';

export type Scroller = { follow(): void; settle(turn: HTMLElement): void };
type Props = ConversationProps & { readonly scroller: RefObject<Scroller | null> };

/** What scrolls must be reachable by keyboard. */
const scrollable = { tabIndex: 0 };

/** The turns of the conversation, or why there are none. */
export function StoryScroll({ scroller, ...props }: Props): ReactNode {
  const { place, state, store, existence, reports } = props;
  const { conversation, open } = place;
  const element = useRef<HTMLElement>(null);
  const { follow, settle, keepPosition } = useFollowEnd(element);
  useImperativeHandle(scroller, () => ({ follow, settle }), [follow, settle]);
  useEffect(() => {
    store.around = keepPosition;
  }, [store, keepPosition]);
  const load = async () => {
    try {
      await conversation.earlier(turnsLoaded);
      return true;
    } catch (error) {
      reports.failed('earlier', error, { label: 'Try again', act: () => void load() });
      return false;
    }
  };
  const isEmpty = state.turns.length + state.unsent.length === 0;
  const isMissing = existence === 'missing';
  return (
    <section ref={element} id="scroll" {...scrollable} aria-label="Conversation">
      {isEmpty && existence === 'exists' && (
        <Welcome>
          <Suspense>{place.isNew && <FirstMessages agent={place.agent} />}</Suspense>
        </Welcome>
      )}
      <Suspense>{isMissing && <Missing startNew={() => open(undefined)} />}</Suspense>
      <div className="story-column" hidden={isMissing}>
        <Suspense>
          <LoadEarlier hasEarlier={conversation.hasEarlier && !isMissing} load={load} />
          <StoryList state={state} />
        </Suspense>
      </div>
    </section>
  );
}

function Welcome({ children }: { children: ReactNode }): ReactNode {
  return (
    <div id="welcome">
      <h2>What would you like to know?</h2>
      <p>
        Ask, or drop a file here and ask about it. You can add something or change course while it
        works.
      </p>
      {children}
    </div>
  );
}
