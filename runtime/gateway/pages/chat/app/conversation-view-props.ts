import type { ReactNode } from 'react';
import type { ConversationState } from '../../../../client/index.ts';
import type { FrameStore } from '../state/frame-store.ts';
import type { PageParts } from '../state/page-context.ts';
import type { Existence } from './use-existence.ts';
import type { OpenConversation } from './use-open-conversation.ts';
import type { Reports } from './use-reports.ts';

export type ConversationProps = PageParts & {
  readonly place: OpenConversation;
  readonly state: ConversationState;
  readonly store: FrameStore<ConversationState>;
  readonly existence: Existence;
  readonly title: string;
  readonly reports: Reports;
  readonly notices: ReactNode;
  readonly isMenuOpen: boolean;
  setMenuOpen(isOpen: boolean): void;
};
