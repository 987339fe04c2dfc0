import { lazy } from 'react';

const load = () => import('../rare/rare.ts');

/** Not needed to show the page and send a message: loaded beside it, and shown when it is there. */
export const Account = lazy(async () => ({ default: (await load()).Account }));
export const AgentChoice = lazy(async () => ({ default: (await load()).AgentChoice }));
export const ApprovalDock = lazy(async () => ({ default: (await load()).ApprovalDock }));
export const ApprovalView = lazy(async () => ({ default: (await load()).ApprovalView }));
export const CanvasView = lazy(async () => ({ default: (await load()).CanvasView }));
export const FilesView = lazy(async () => ({ default: (await load()).FilesView }));
export const FirstMessages = lazy(async () => ({ default: (await load()).FirstMessages }));
export const KeysDialog = lazy(async () => ({ default: (await load()).KeysDialog }));
export const LoadEarlier = lazy(async () => ({ default: (await load()).LoadEarlier }));
export const MessageEditor = lazy(async () => ({ default: (await load()).MessageEditor }));
export const Missing = lazy(async () => ({ default: (await load()).Missing }));
export const PlanView = lazy(async () => ({ default: (await load()).PlanView }));
export const ProgramView = lazy(async () => ({ default: (await load()).ProgramView }));
export const SecretView = lazy(async () => ({ default: (await load()).SecretView }));
export const Sources = lazy(async () => ({ default: (await load()).Sources }));
export const Suggestions = lazy(async () => ({ default: (await load()).Suggestions }));
export const TurnKeys = lazy(async () => ({ default: (await load()).TurnKeys }));
export const ToolView = lazy(async () => ({ default: (await load()).ToolView }));
export const TurnFooter = lazy(async () => ({ default: (await load()).TurnFooter }));
export const SidePane = lazy(async () => ({ default: (await load()).SidePane }));

export async function askForToken(because: string): Promise<void> {
  await (await load()).askForToken(because);
}

export function loadLater(): void {
  // What cannot be loaded now is loaded when it is needed.
  load().catch(() => undefined);
}
