import { type ComponentType, Suspense, useEffect } from 'react';
import { Account } from '../chat/rare/account.tsx';
import { useAddress } from './data/address.ts';
import { lazyPart } from './data/lazy-part.ts';
import { useTitle } from './data/use-title.ts';
import { AgentsView } from './project/agents-view.tsx';
import { ConversationList } from './project/conversation-list.tsx';
import { EvalsView } from './project/evals-view.tsx';
import { FeedbackView } from './project/feedback-view.tsx';
import { LiveView } from './project/live-view.tsx';
import { UsageView } from './project/usage-view.tsx';
import { LogView } from './rounds/log-view.tsx';
import { useSignIns } from './session/sign-in.ts';
import { SignInDialog } from './session/sign-in-dialog.tsx';

/** The studio, which shows developers what a conversation is made of. */
export function Studio() {
  const { address, to } = useAddress();
  const { page } = address;
  const signIns = useSignIns();
  useEffect(() => onFlip(() => location.assign(chatAddress())), []);
  useTitle(page in views ? nameOf(page) : '');
  const isLog = page !== '' && !(page in views);
  return (
    <div className="studio">
      <header className="bar">
        <h1>
          <img src="/assets/mark.svg" alt="" width="20" height="20" /> Studio
        </h1>
        <nav aria-label="Views">
          <a
            href={isLog ? location.hash : to({ page: '' })}
            aria-current={isLog || page === '' ? 'page' : undefined}
          >
            Conversations
          </a>
          {Object.keys(projectViews).map((view) => (
            <a key={view} href={`#${view}`} aria-current={page === view ? 'page' : undefined}>
              {nameOf(view)}
            </a>
          ))}
        </nav>
        <Account key={signIns} />
        <a className="flip" href={chatAddress()} aria-keyshortcuts="Control+Period Meta+Period">
          Chat <kbd>Ctrl .</kbd>
        </a>
      </header>
      <ConversationList />
      <Main page={page} />
      <SignInDialog />
    </div>
  );
}

const CompareView = lazyPart(() => import('./compare/compare-view.tsx'), 'CompareView');

/** The views of the bar. */
const projectViews: Readonly<Record<string, ComponentType>> = {
  usage: UsageView,
  live: LiveView,
  feedback: FeedbackView,
  agents: AgentsView,
  evals: EvalsView,
};
const views: Readonly<Record<string, ComponentType>> = { ...projectViews, compare: CompareView };

function nameOf(view: string): string {
  return view.charAt(0).toUpperCase() + view.slice(1);
}

function Main({ page }: { readonly page: string }) {
  const View = views[page];
  if (View) {
    return (
      <Suspense fallback={<p role="status">Loading…</p>}>
        <View />
      </Suspense>
    );
  }
  if (page !== '') return <LogView key={page} conversation={page} />;
  return (
    <main className="welcome">
      <h2>Choose a conversation</h2>
      <p>
        The studio shows the exact prompt of every round, where each passage comes from, what the
        cache cost, and every block of the log. A new conversation begins in{' '}
        <a href="/">the chat</a>.
      </p>
    </main>
  );
}

/** The same conversation in the chat, at the same block. */
function chatAddress(): string {
  const [page = '', query = ''] = location.hash.replace(/^#/, '').split('?');
  if (!page.startsWith('conv')) return '/';
  const at = new URLSearchParams(query).get('at');
  return `/#${page}${at === null ? '' : `?at=${at}`}`;
}

function onFlip(flip: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key !== '.' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    flip();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}
