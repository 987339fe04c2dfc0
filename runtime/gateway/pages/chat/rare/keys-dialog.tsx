/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef } from 'react';

const keys = [
  ['Enter', 'Send; while the agent works: add'],
  ['Shift Enter', 'New line'],
  ['Ctrl Enter', 'Redirect: stop the current work and continue with this message'],
  ['/', 'Write a message'],
  ['j  k', 'Next or previous turn'],
  ['Ctrl .', 'Open this conversation in the studio'],
  ['Esc', 'Close what is open'],
  ['?', 'This list'],
] as const;

/** The keys of the page. */
export function KeysDialog({ close }: { close(): void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet keys" aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
