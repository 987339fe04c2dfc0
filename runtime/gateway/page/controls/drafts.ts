/// <reference lib="dom" />

/** Messages that are written and not sent, one for each conversation. Texts outlive the page, files do not. */
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
    // No room, or a browser that keeps nothing: the draft lasts as long as the page.
  }
}

function stored(conversation: string): string {
  try {
    return localStorage.getItem(storageKey(conversation)) ?? '';
  } catch {
    return '';
  }
}
