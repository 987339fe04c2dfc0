/// <reference lib="dom" />

/** Unsent messages, one per conversation. Texts outlive the page; files do not. */
export type Draft = { readonly text: string; readonly files: readonly File[] };

/** Drafts of this page. Without storage they last as long as it. */
const drafts = new Map<string, Draft>();
/** Name of the draft of a conversation that does not exist yet. */
export const newConversation = 'new';
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

/** A text that is put back, before a newer one. */
export function restored(earlier: Draft, newer: Draft): Draft {
  return {
    text: [earlier.text, newer.text].filter((each) => each !== '').join('\n\n'),
    files: [...earlier.files, ...newer.files],
  };
}

function stored(conversation: string): string {
  try {
    return localStorage.getItem(storageKey(conversation)) ?? '';
  } catch {
    return '';
  }
}
