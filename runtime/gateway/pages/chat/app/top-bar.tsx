/// <reference lib="dom" />
import { type ReactNode, useEffect } from 'react';
import { IconButton } from '../../shared/icon-button.tsx';
import { menuIcon, newIcon } from '../../shared/icons.tsx';
import { activityOf, isWorking } from '../state/status-text.ts';
import type { ConversationProps } from './conversation-view-props.ts';

/** The title of the conversation, and what its agent does. */
export function TopBar(props: ConversationProps): ReactNode {
  const { place, state, title, isMenuOpen, setMenuOpen } = props;
  const first = place.conversation.hasEarlier ? '' : (state.turns[0]?.prompt ?? '');
  const name = title || first;
  const working = isWorking(state);
  useEffect(() => {
    document.title = name === '' ? 'Timeloom' : `${name} · Timeloom`;
  }, [name]);
  return (
    <header id="bar">
      <IconButton
        id="menu"
        icon={menuIcon}
        label="Conversations"
        aria-expanded={isMenuOpen}
        onClick={() => setMenuOpen(!isMenuOpen)}
      />
      <h1 id="title" dir="auto">
        {name || <span className="unseen">New</span>}
      </h1>
      <span id="state" className={working ? 'working' : ''}>
        {working ? activityOf(state.turns.at(-1)?.parts ?? []) : ''}
      </span>
      <IconButton
        className="new"
        icon={newIcon}
        label="New conversation"
        onClick={() => place.open()}
      />
    </header>
  );
}
