import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useAction } from './use-action.ts';

type Props = {
  readonly title: string;
  readonly note: string;
  readonly verb: string;
  readonly send: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A dialog with a form, its problems and its two buttons. */
export function FormDialog({ title, note, verb, send, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { problem, isBusy, submit } = useAction(send);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby={id}>
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        <p>{note}</p>
        {children}
        {problem !== '' && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
