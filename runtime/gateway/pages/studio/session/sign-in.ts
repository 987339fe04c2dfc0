import { useSyncExternalStore } from 'react';
import { readSession, renewSession, signInProvider } from '../../chat/server/session.ts';

/** A sign-in that requests wait for. */
export type Asking = {
  readonly because: string;
  /** Something was loaded before: the page has what its user was doing. */
  readonly isAgain: boolean;
  /** Goes on if there is a session now. */
  check(): Promise<void>;
};

/** What the page knows of the session; every request that is refused waits for the same sign-in. */
class SignIn {
  #asking: Asking | undefined;
  #waiting: Promise<void> | undefined;
  #count = 0;
  #user: string | undefined;
  readonly #listeners = new Set<() => void>();

  readonly asking = () => this.#asking;
  /** How often somebody signed in on this page. */
  readonly count = () => this.#count;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A request was answered. */
  async confirm(): Promise<void> {
    if (this.#user !== undefined || signInProvider() === undefined) return;
    this.#user = '';
    this.#user = (await readSession())?.user ?? '';
  }

  /** Resolves when somebody has signed in. `isRefused`: a session that was renewed is refused as well. */
  wait(because: string, { isRefused }: { readonly isRefused: boolean }): Promise<void> {
    this.#waiting ??= this.#renewOrAsk(because, isRefused).finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  async #renewOrAsk(because: string, isRefused: boolean): Promise<void> {
    const isRenewed = !isRefused && signInProvider() !== '' && (await renewSession({ below: 0 }));
    if (!isRenewed) await this.#ask(because);
    this.#count += 1;
    this.#tell(undefined);
  }

  #ask(because: string): Promise<void> {
    return new Promise((resolve) => {
      const check = async () => {
        const session = await readSession();
        if (!session) return;
        // What the page shows is for the eyes of the user before.
        if (this.#user && session.user !== this.#user) location.reload();
        else resolve();
      };
      this.#tell({ because, isAgain: this.#user !== undefined, check });
    });
  }

  #tell(asking: Asking | undefined): void {
    this.#asking = asking;
    for (const listener of this.#listeners) listener();
  }
}

export const signIn = new SignIn();

export function useAsking(): Asking | undefined {
  return useSyncExternalStore(signIn.subscribe, signIn.asking);
}

/** Changes when somebody has signed in. */
export function useSignIns(): number {
  return useSyncExternalStore(signIn.subscribe, signIn.count);
}
