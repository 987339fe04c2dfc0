/// <reference lib="dom" />
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import type { ConversationFacts } from '../../../../client/index.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { Icon, moreIcon, newIcon, pinIcon, searchIcon } from '../../shared/icons.tsx';
import { Account } from '../later/later.ts';
import { formatAge } from '../state/format.ts';
import type { ConversationList } from './use-conversations.ts';

/** When the page has loaded what it needs first. */
const idleMs = 1_500;
const loadMenu = () => import('./conversation-menu.tsx');
const ConversationMenu = lazy(async () => ({ default: (await loadMenu()).ConversationMenu }));

type Props = {
  readonly list: ConversationList;
  readonly current: string;
  readonly isConnected: boolean;
  startNew(): void;
  show(dialog: 'keys' | 'settings'): void;
  /** On a narrow screen the sidebar covers the conversation. */
  close(): void;
  /** A conversation was changed or deleted. */
  changed(change: { readonly deleted?: string }): void;
};

/** The user's conversations: search, open, rename, pin, delete. */
export function Sidebar({
  list,
  current,
  isConnected,
  startNew,
  show,
  close,
  changed,
}: Props): ReactNode {
  useEffect(() => {
    // Not needed to read and write, so they are loaded when the page has nothing else to do.
    const timer = setTimeout(() => void loadMenu().catch(() => undefined), idleMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <aside id="sidebar" aria-label="Conversations">
      <header>
        <img src="/assets/mark.svg" alt="" width="22" height="22" />
        <span className="name">Timeloom</span>
      </header>
      <button
        id="new"
        type="button"
        onClick={() => {
          close();
          startNew();
        }}
      >
        <Icon path={newIcon} />
        New conversation
      </button>
      <label className="search">
        <Icon path={searchIcon} />
        <input
          type="search"
          aria-label="Search conversations"
          placeholder="Search messages"
          value={list.query}
          onChange={(event) => list.search(event.target.value)}
        />
      </label>
      <nav id="list" aria-label="Conversations">
        {list.items.map((each) => (
          <Row
            key={each.id}
            item={each}
            isCurrent={each.id === current}
            close={close}
            changed={changed}
          />
        ))}
        {list.items.length === 0 && list.query !== '' && (
          <p className="none">No conversation matches “{list.query}”.</p>
        )}
        {list.hasMore && (
          <button type="button" className="more" onClick={list.more}>
            Show more
          </button>
        )}
      </nav>
      <Suspense>
        <Account />
      </Suspense>
      <footer>
        <div id="connection" role="status" className={isConnected ? '' : 'offline'}>
          {isConnected ? 'connected' : 'connecting…'}
        </div>
        <button type="button" className="quiet-button" onClick={() => show('settings')}>
          Settings
        </button>
        <button type="button" className="quiet-button" onClick={() => show('keys')}>
          Keys
        </button>
      </footer>
    </aside>
  );
}

type RowProps = {
  readonly item: ConversationFacts;
  readonly isCurrent: boolean;
  close(): void;
  changed: Props['changed'];
};

function Row({ item, isCurrent, close, changed }: RowProps): ReactNode {
  const [isNeeded, setNeeded] = useState(false);
  const { id, title, lastActivityAt, pinned, working, waiting, forkedFrom } = item;
  const name = title || 'New conversation';
  const label = `Actions for ${title || 'an untitled conversation'}`;
  return (
    <div className="row">
      <a href={`#${id}`} aria-current={isCurrent ? 'page' : undefined} onClick={close}>
        <span className="title" dir="auto">
          {working && !waiting && <span className="working-dot" role="img" aria-label="At work" />}
          {pinned && <Icon path={pinIcon} size={13} />}
          {name}
        </span>
        {waiting && <span className="waits">Waits for you</span>}
        {forkedFrom && <span className="copied">Copy</span>}
        <time dateTime={lastActivityAt}>{formatAge(Date.now() - Date.parse(lastActivityAt))}</time>
      </a>
      {isNeeded ? (
        <Suspense fallback={<IconButton icon={moreIcon} label={label} disabled />}>
          <ConversationMenu item={item} label={label} changed={changed} />
        </Suspense>
      ) : (
        <IconButton
          icon={moreIcon}
          label={label}
          aria-haspopup="menu"
          onClick={() => setNeeded(true)}
        />
      )}
    </div>
  );
}
