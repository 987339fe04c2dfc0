import type { Protocol } from '../../../channels/protocol/reply-piece.ts';

type AnnouncedForm = { readonly next: string; readonly last: string };

const object: AnnouncedForm = {
  next: 'Reply now with one JSON object only: {"thinking":"…","action":…}.',
  last: 'Reply now with one JSON object only: {"thinking":"…","action":"complete",…}.',
};
const forms: Readonly<Partial<Record<Protocol, AnnouncedForm>>> = {
  'native-tools': {
    next: 'Reply now: call tools, or write your answer as plain text.',
    last: 'Reply now: write your answer as plain text.',
  },
  json: object,
  plain: object,
};

/** What the last line of a prompt says about the form of the reply. Undefined: channels. */
export function announcedForm(protocol: Protocol): AnnouncedForm | undefined {
  return forms[protocol];
}
