/// <reference lib="dom" />
import {
  type ReactNode,
  Suspense,
  useCallback,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { KeysDialog, SettingsDialog } from '../later/later.ts';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useConversations } from '../sidebar/use-conversations.ts';
import { ClientProvider } from '../state/client-context.ts';
import { FrameStore } from '../state/frame-store.ts';
import type { PageParts } from '../state/page-context.ts';
import { ConversationView } from './conversation-view.tsx';
import { useExistence } from './use-existence.ts';
import { useKeys } from './use-keys.ts';
import { NoticeList, useNotices } from './use-notices.tsx';
import { useOffline } from './use-offline.ts';
import { useOpenConversation } from './use-open-conversation.ts';
import { useOutsideClick } from './use-outside-click.ts';
import { useReports } from './use-reports.ts';

/** The chat page: the list of conversations, and one of them. */
export function ChatApp(parts: PageParts): ReactNode {
  const { client } = parts;
  const { notices, shown } = useNotices();
  const reports = useReports(notices);
  const place = useOpenConversation(client);
  const { conversation, open } = place;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const listReports = useMemo(
    () => ({
      failed: (error: unknown, act: () => void) =>
        reports.failed('list', error, { label: 'Try again', act }),
      loaded: () => notices.clear('list'),
    }),
    [reports, notices],
  );
  const [dialog, show] = useState<'keys' | 'settings' | 'none'>('none');
  const showKeys = useCallback(() => show('keys'), []);
  useKeys(showKeys);
  const list = useConversations(client, listReports);
  const failed = useCallback(
    (error: unknown) =>
      reports.failed('conversation', error, { label: 'Reload', act: () => location.reload() }),
    [reports],
  );
  const existence = useExistence(place, { changed: list.refresh, failed });
  const store = useMemo(() => new FrameStore(conversation), [conversation]);
  const state = useSyncExternalStore(store.subscribe, store.snapshot);
  useOffline(state.status === 'offline', notices);
  useOutsideClick(isMenuOpen, setMenuOpen);
  const title = list.items.find(({ id }) => id === conversation.id)?.title ?? '';
  return (
    <ClientProvider value={client}>
      <div id="page" className={isMenuOpen ? 'menu-open' : ''}>
        <Sidebar
          list={list}
          current={conversation.id}
          isConnected={state.status !== 'offline'}
          startNew={() => open(undefined)}
          show={show}
          close={() => setMenuOpen(false)}
          changed={({ deleted }) => {
            list.refresh();
            if (deleted === conversation.id) open(undefined);
          }}
        />
        <ConversationView
          key={conversation.id}
          {...{ ...parts, place, state, store, existence, title, reports }}
          isMenuOpen={isMenuOpen}
          setMenuOpen={setMenuOpen}
          notices={<NoticeList shown={shown} notices={notices} />}
        />
        <Suspense>
          {dialog === 'keys' && <KeysDialog close={() => show('none')} />}
          {dialog === 'settings' && (
            <SettingsDialog close={() => show('none')} erased={() => open(undefined)} />
          )}
        </Suspense>
      </div>
    </ClientProvider>
  );
}
