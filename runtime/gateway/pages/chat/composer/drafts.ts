/// <reference lib="dom" />

/** Unsent messages, one per conversation. Texts outlive the page; files do not. */
export type Draft = { readonly text: string; readonly files: readonly File[] };

/** Drafts of this page. Without storage they last as long as it. */
const drafts = new Map<string, Draft>();
const storageKey = (conversation: string) => `timeloom.draft.${conversation}`;

export function readDraft(conversation: string): Draft {
  const known = drafts.get(conversation);
  if (known) return known;
  const draft = { text: stored(conversation), files: [] };
  drafts.set(conversation, draft);
  return draft;
}

export function saveDraft(conversation: string, draft: Draft): void {
  drafts.set(conversation, draft);
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
