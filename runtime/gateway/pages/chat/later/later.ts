import { lazy } from 'react';

const load = () => import('../rare/rare.ts');
type Rare = Awaited<ReturnType<typeof load>>;

function later<Name extends Exclude<keyof Rare, 'askForToken'>>(name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

/** Not needed to show the page and send a message: loaded beside it, and shown when it is there. */
export const Account = later('Account');
export const AgentChoice = later('AgentChoice');
export const ApprovalDock = later('ApprovalDock');
export const ApprovalView = later('ApprovalView');
export const CanvasView = later('CanvasView');
export const FilesView = later('FilesView');
export const FirstMessages = later('FirstMessages');
export const KeysDialog = later('KeysDialog');
export const LoadEarlier = later('LoadEarlier');
export const MessageEditor = later('MessageEditor');
export const Missing = later('Missing');
export const PlanView = later('PlanView');
export const ProgramView = later('ProgramView');
export const SecretView = later('SecretView');
export const Sources = later('Sources');
export const Suggestions = later('Suggestions');
export const TurnKeys = later('TurnKeys');
export const ToolView = later('ToolView');
export const TurnFooter = later('TurnFooter');
export const SidePane = later('SidePane');

export async function askForToken(because: string): Promise<void> {
  await (await load()).askForToken(because);
}

export function loadLater(): void {
  // What cannot be loaded now is loaded when it is needed.
  load().catch(() => undefined);
}
