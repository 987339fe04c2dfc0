import type { Protocol } from '../../../channels/protocol/reply-piece.ts';

type AnnouncedForm = { readonly next: string; readonly last: string; readonly ending?: string };

const object: AnnouncedForm = {
  next: 'Reply now with one JSON object only: {"thinking":"…","action":…}.',
  last: 'Reply now with one JSON object only: {"thinking":"…","action":"complete",…}.',
};
const native: AnnouncedForm = {
  next: 'Reply now: call tools, or write your answer as plain text.',
  last: 'Reply now: write your answer as plain text.',
  ending: 'Answer now with what you have; canvas and summary as usual.',
};
/** A structured output is the input of a tool. */
const nativeOutput: AnnouncedForm = {
  next: 'Reply now: call tools, and complete when everything else is done.',
  last: 'Reply now: call the tool complete.',
  ending: 'Complete now with what you have; canvas and summary as usual.',
};

/** What the end of a prompt says about the form of the reply. Undefined: channels. */
export function announcedForm(
  protocol: Protocol,
  { hasOutput }: { readonly hasOutput: boolean },
): AnnouncedForm | undefined {
  switch (protocol) {
    case 'channels':
      return undefined;
    case 'native-tools':
      return hasOutput ? nativeOutput : native;
    default:
      return object;
  }
}
