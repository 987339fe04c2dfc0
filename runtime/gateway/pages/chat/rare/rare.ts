/** What a first visit does not need, as one file that the page loads later. */
export { Account } from './account.tsx';
export { AgentChoice, FirstMessages } from './agent-choice.tsx';
export { ApprovalDock, ApprovalView } from './approval-view.tsx';
export { CanvasView } from './canvas-view.tsx';
export { FilesView } from './files-view.tsx';
export { KeysDialog, TurnKeys } from './keys-dialog.tsx';
export { LoadEarlier } from './load-earlier.tsx';
export { MessageEditor } from './message-editor.tsx';
export { Missing } from './missing.tsx';
export { SecretView } from './secret-view.tsx';
export { SidePane } from './side-pane.tsx';
export { askForToken } from './sign-in.ts';
export { Sources, Suggestions } from './sources-view.tsx';
export { PlanView, ProgramView, ToolView } from './tool-views.tsx';
export { TurnFooter } from './turn-footer.tsx';
