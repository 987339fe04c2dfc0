/// <reference lib="dom" />

/** Unsent messages, one per conversation. Texts outlive the page; files do not. */
export type Draft = { readonly text: string; readonly files: readonly File[] };

const files = new Map<string, readonly File[]>();
const storageKey = (conversation: string) => `timeloom.draft.${conversation}`;

export function readDraft(conversation: string): Draft {
  return { text: stored(conversation), files: files.get(conversation) ?? [] };
}

export function saveDraft(conversation: string, draft: Draft): void {
  files.set(conversation, draft.files);
  try {
    if (draft.text === '') localStorage.removeItem(storageKey(conversation));
    else localStorage.setItem(storageKey(conversation), draft.text);
  } catch {
    // Storage is full or disabled: the draft lasts as long as the page.
  }
}

function stored(conversation: string): string {
  try {
    return localStorage.getItem(storageKey(conversation)) ?? '';
  } catch {
    return '';
  }
}
