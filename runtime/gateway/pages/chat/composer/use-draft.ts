/// <reference lib="dom" />
import { useCallback, useMemo, useState } from 'react';
import { type Draft, newConversation, readDraft, restored, saveDraft } from './drafts.ts';

export type DraftState = {
  readonly value: Draft;
  setText(text: string): void;
  addFiles(files: readonly File[]): void;
  removeFile(file: File): void;
  clear(): void;
  /** Puts a message back for editing, before any newer text. */
  restore(draft: Draft): void;
};

/** The unsent message of a conversation; `undefined`: of a new one. */
export function useDraft(conversation: string | undefined): DraftState {
  const name = conversation ?? newConversation;
  const [, redraw] = useState(0);
  const value = readDraft(name);
  const change = useCallback(
    (next: (before: Draft) => Draft) => {
      saveDraft(name, next(readDraft(name)));
      redraw((n) => n + 1);
    },
    [name],
  );
  const actions = useMemo(
    () => ({
      setText: (text: string) => change(({ files }) => ({ text, files })),
      addFiles: (added: readonly File[]) => {
        if (added.length > 0) change(({ text, files }) => ({ text, files: [...files, ...added] }));
      },
      removeFile: (file: File) =>
        change(({ text, files }) => ({ text, files: files.filter((each) => each !== file) })),
      clear: () => change(() => ({ text: '', files: [] })),
      restore: (draft: Draft) => change((before) => restored(draft, before)),
    }),
    [change],
  );
  return { value, ...actions };
}
