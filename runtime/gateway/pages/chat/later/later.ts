import { lazy } from 'react';
import { loadPatiently } from '../../shared/load-patiently.ts';

const load = () => import('./parts.ts');
type Parts = Awaited<ReturnType<typeof load>>;

function later<Name extends Exclude<keyof Parts, 'askForToken'>>(name: Name) {
  return lazy(async () => ({ default: (await loadPatiently(load))[name] }));
}

/** Not needed to show the page and send a message: loaded beside it, and shown when it is there. */
export const Account = later('Account');
export const AgentChoice = later('AgentChoice');
export const ApprovalDock = later('ApprovalDock');
export const FirstMessages = later('FirstMessages');
export const KeysDialog = later('KeysDialog');
export const LoadEarlier = later('LoadEarlier');
export const Missing = later('Missing');
export const SettingsDialog = later('SettingsDialog');
export const SidePane = later('SidePane');
export const StoryList = later('StoryList');

let isSigningIn = false;

/** Until the page is loaded again. */
export function asksForToken(): boolean {
  return isSigningIn;
}

export async function askForToken(because: string): Promise<void> {
  isSigningIn = true;
  await (await loadPatiently(load)).askForToken(because);
}

export function loadLater(): void {
  void loadPatiently(load);
}
