/** What a first visit does not need, as one file that the page loads later. */

export { Account } from '../rare/account.tsx';
export { AgentChoice, FirstMessages } from '../rare/agent-choice.tsx';
export { ApprovalDock } from '../rare/approval-view.tsx';
export { KeysDialog } from '../rare/keys-dialog.tsx';
export { LoadEarlier } from '../rare/load-earlier.tsx';
export { Missing } from '../rare/missing.tsx';
export { SidePane } from '../rare/side-pane.tsx';
export { askForToken } from '../rare/sign-in.ts';
export { SettingsDialog } from '../settings/settings-dialog.tsx';
export { StoryList } from '../story/story-list.tsx';
