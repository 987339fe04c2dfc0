/// <reference lib="dom" />
import { byId } from '../dom/elements.ts';
import type { Notices } from './notices.ts';

/** How long the connection may be lost before the page shows a notice. */
const offlineMs = 3_000;

/** Shows the connection state: immediately in the sidebar, and in a notice if it stays offline. */
export class ConnectionStatus {
  readonly #element = byId('connection', HTMLElement);
  readonly #notices: Notices;
  #offline: ReturnType<typeof setTimeout> | undefined;

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  show(isConnected: boolean): void {
    this.#element.classList.toggle('offline', !isConnected);
    this.#element.textContent = isConnected ? 'connected' : 'connecting…';
    if (isConnected) {
      clearTimeout(this.#offline);
      this.#offline = undefined;
      this.#notices.clear('connection');
    } else this.#offline ??= setTimeout(() => this.#sayOffline(), offlineMs);
  }

  #sayOffline(): void {
    const text =
      'The server cannot be reached. Messages you send wait until the connection is back.';
    this.#notices.show('connection', text);
  }
}
