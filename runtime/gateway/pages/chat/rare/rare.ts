/** What a first visit does not need, as one file that the page loads later. */
export { StoryList } from '../story/story-list.tsx';
export { Account } from './account.tsx';
export { AgentChoice, FirstMessages } from './agent-choice.tsx';
export { ApprovalDock } from './approval-view.tsx';
export { KeysDialog } from './keys-dialog.tsx';
export { LoadEarlier } from './load-earlier.tsx';
export { Missing } from './missing.tsx';
export { SidePane } from './side-pane.tsx';
export { askForToken } from './sign-in.ts';
