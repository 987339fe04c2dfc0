/// <reference lib="dom" />
import { readDraft, restored, saveDraft } from './drafts.ts';

/**
 * The field of the HTML, which is there before any script, gives what was typed in it to the draft. The caret stays in the
 * text when `draw` has replaced the field.
 */
export function keepEarlyMessage(conversation: string, draw: () => void): void {
  const early = document.querySelector('textarea');
  const text = early?.value ?? '';
  const fromEnd = text.length - (early?.selectionEnd ?? 0);
  if (text !== '') {
    saveDraft(conversation, restored(readDraft(conversation), { text, files: [] }));
  }
  draw();
  const field = document.querySelector('textarea');
  const caret = (field?.value.length ?? 0) - fromEnd;
  field?.setSelectionRange(caret, caret);
}
