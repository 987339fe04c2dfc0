/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { usePage } from '../state/page-context.ts';

type EditorProps = { readonly text: string; readonly turn: string; close(): void };

/** Changes a question. Its conversation stays as it is, and the changed question continues in a copy. */
export function MessageEditor({ text, turn, close }: EditorProps): ReactNode {
  const { retry } = usePage();
  const [draft, setDraft] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    // Browsers differ in where the caret is then.
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);
  const isUnchanged = draft.trim() === '';
  return (
    <form
      className="said editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (isUnchanged) return;
        close();
        retry(turn, draft.trim());
      }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <textarea
        ref={field}
        aria-label="Question"
        dir="auto"
        rows={3}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <p className="meta">The answer continues in a copy of this conversation.</p>
      <div className="choices">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={isUnchanged}>
          Ask again
        </button>
      </div>
    </form>
  );
}
