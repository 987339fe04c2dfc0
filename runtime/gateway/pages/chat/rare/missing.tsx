import type { ReactNode } from 'react';

/** There is no conversation at the address of the page. */
export function Missing({ startNew }: { startNew(): void }): ReactNode {
  return (
    <div id="missing">
      <h2>Conversation not found</h2>
      <p>
        It does not exist, it was deleted, or it belongs to another account. Check the link, or
        choose another conversation.
      </p>
      <button id="leave" type="button" onClick={startNew}>
        Start a new conversation
      </button>
    </div>
  );
}
