import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { lastPrompted } from '../prompt-rounds.ts';
import type { View } from '../view.ts';
import { type ReplyForm, replyForms } from './replies/write-reply.ts';

/**
 * How a prompt shows the log. `text`: one user message, written as a log. `messages`: messages in turn, with earlier
 * replies in the form in which the model must write them.
 */
export type PromptForm =
  | { readonly as: 'text' }
  | {
      readonly as: 'messages';
      /** Default: `channels`. */
      readonly protocol?: ReplyForm | undefined;
      /** The model that reads the prompt: only reasoning of its family is sent back. See `familyOf`. */
      readonly family?: string | undefined;
    };

/** Recorded in every `round.open`: another version may render the same log differently. */
export const rendererVersions = {
  text: 'timeloom-render-12',
  messages: 'timeloom-messages-6',
} as const satisfies Record<PromptForm['as'], string>;

/** The form of a round's prompt, from the data of its `round.open`. A round that records none has the text form. */
export function formOfRound(data: Block['data']): PromptForm {
  if (!isJsonObject(data) || data['form'] !== 'messages') return { as: 'text' };
  const { model } = data;
  const protocol = replyForms.find((each) => each === data['protocol']);
  return {
    as: 'messages',
    ...(protocol === undefined ? {} : { protocol }),
    ...(typeof model === 'string' ? { family: familyOf(model) } : {}),
  };
}

/** The form of the last prompt. The engine counts tokens by it: the next prompt has it too, unless a setting changed. */
export function lastForm({ turns }: Pick<View, 'turns'>): PromptForm {
  return formOfRound(lastPrompted(turns)?.blocks[0]?.data);
}

/** The id of a model without the date or label of its version: `anthropic:claude-sonnet-5-20261101` is of `…-sonnet-5`. */
export function familyOf(model: string): string {
  return model.replace(/(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview))+$/, '');
}

/** Equal for forms that draw the same. */
export function formKey(form: PromptForm): string {
  if (form.as === 'text') return 'text';
  return `${form.protocol ?? 'channels'} ${form.family ?? ''}`;
}

/** Remembers what was drawn of an object, once for each form. */
export class FormCache<Key extends object, Value> {
  readonly #values = new WeakMap<Key, Map<string, Value>>();

  get(key: Key, form: PromptForm): Value | undefined {
    return this.#values.get(key)?.get(formKey(form));
  }

  set(key: Key, form: PromptForm, value: Value): void {
    const values = this.#values.get(key) ?? new Map<string, Value>();
    this.#values.set(key, values.set(formKey(form), value));
  }
}
