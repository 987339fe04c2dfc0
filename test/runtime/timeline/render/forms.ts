import type { PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { replyForms } from '../../../../runtime/timeline/render/replies/write-reply.ts';

export const messageForms: readonly Extract<PromptForm, { as: 'messages' }>[] = replyForms.map(
  (protocol) => ({ as: 'messages', protocol, family: 'scripted:test' }),
);

/** Every form of a prompt, named for a title. */
export const forms: readonly (readonly [string, PromptForm])[] = [
  ['text', { as: 'text' }],
  ...messageForms.map((form) => [`messages, ${form.protocol}`, form] as const),
];
