/// <reference lib="dom" />
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Composer } from '../composer/composer.tsx';
import { useDraft } from '../composer/use-draft.ts';
import { AgentChoice, ApprovalDock, SidePane } from '../later/later.ts';
import { PageProvider, type PaneContent } from '../state/page-context.ts';
import { isWorking, pendingApprovals, statusText } from '../state/status-text.ts';
import type { ConversationProps } from './conversation-view-props.ts';
import { type Scroller, StoryScroll } from './story-scroll.tsx';
import { TopBar } from './top-bar.tsx';
import { usePageActions } from './use-page-actions.ts';

/** The open conversation, its message field, and what is opened beside it. */
export function ConversationView(props: ConversationProps): ReactNode {
  const { place, state, store, existence } = props;
  const { id, agent, choose } = place;
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<Scroller>(null);
  const draft = useDraft(id);
  const [pane, openPane] = useState<PaneContent>();
  const closePane = useCallback(() => openPane(undefined), []);
  const follow = useCallback(() => scroller.current?.follow(), []);
  const settle = useCallback((turn: HTMLElement) => scroller.current?.settle(turn), []);
  const { restore } = draft;
  const { context, send } = usePageActions({
    ...props,
    ...{ now: store.snapshot, follow, openPane, restore, settle },
  });
  useEffect(() => field.current?.focus(), []);
  const working = isWorking(state);
  const pending = pendingApprovals(state);
  const isMissing = existence === 'missing';
  return (
    <PageProvider value={context}>
      <main>
        <TopBar {...props} />
        <StoryScroll {...props} scroller={scroller} />
        <p id="summary" className="unseen" role="status">
          {statusText(state)}
        </p>
        {props.notices}
        <Suspense>{pending.length > 0 && <ApprovalDock pending={pending} />}</Suspense>
        <Composer
          {...{ draft, field }}
          isWorking={working}
          hidden={isMissing}
          send={(message) => send(working ? 'followup' : 'prompt', message)}
          steer={(message) => send('steer', message)}
          stop={() => send('steer', { text: '', files: [] })}
        >
          <Suspense>{id === undefined && <AgentChoice value={agent} choose={choose} />}</Suspense>
        </Composer>
      </main>
      <Suspense>
        {pane && <SidePane content={pane} turns={state.turns} close={closePane} />}
      </Suspense>
    </PageProvider>
  );
}
