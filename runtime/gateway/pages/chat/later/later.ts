import { lazy } from 'react';

/** How long a failed load waits before it is tried again. */
const againMs = 3_000;
const load = () => import('./parts.ts');
type Parts = Awaited<ReturnType<typeof load>>;

/** Does not reject: what needs this part appears when the server is reached again. */
async function loadPatiently(): Promise<Parts> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}

function later<Name extends Exclude<keyof Parts, 'askForToken'>>(name: Name) {
  return lazy(async () => ({ default: (await loadPatiently())[name] }));
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

export async function askForToken(because: string): Promise<void> {
  await (await loadPatiently()).askForToken(because);
}

export function loadLater(): void {
  void loadPatiently();
}
