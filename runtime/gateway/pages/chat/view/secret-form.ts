/// <reference lib="dom" />
import { isRefusal } from '../../../../base/refusal.ts';
import { h } from '../dom/elements.ts';
import { saveSecret, type UserSecret } from '../server/user-secrets.ts';

type BundleSecret = UserSecret & { readonly bundle: string };

const button = (label: string) => h('button', { type: 'button', hidden: true }, label);

/** A form to set one secret of a bundle. The value goes to the server and is not kept in the page. */
export class SecretForm {
  readonly element: HTMLElement;
  readonly #secret: BundleSecret;
  readonly #field: HTMLInputElement;
  readonly #save = h('button', { type: 'submit' }, 'Save');
  readonly #continue = button('Continue');
  readonly #change = button('Change');
  readonly #status = h('span', { class: 'outcome', role: 'status' });
  readonly #problem = h('p', { class: 'problem', role: 'alert' });

  /** `done`: the user has saved the secret and wants to continue. */
  constructor(secret: BundleSecret, done: (id: string) => void) {
    this.#secret = secret;
    const { id, bundle, description, set } = secret;
    const attributes = { type: 'password', autocomplete: 'off', spellcheck: 'false' };
    this.#field = h('input', { ...attributes, required: true, 'aria-label': `Value of ${id}` });
    const heading = description === '' ? id : description;
    const about = `${bundle} uses ${id} for your account only. It is not part of the conversation and is not shown again.`;
    const parts = [this.#field, this.#save, this.#continue, this.#change, this.#status];
    this.element = h(
      'form',
      { class: 'secret', 'aria-label': heading },
      h('strong', {}, heading),
      h('p', {}, about),
      h('div', { class: 'answers' }, ...parts),
      this.#problem,
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#continue.addEventListener('click', () => {
      this.#continue.hidden = true;
      done(id);
    });
    this.#change.addEventListener('click', () => this.#open());
    if (set) this.#settle(`${id} is set.`);
  }

  #open(): void {
    for (const part of [this.#field, this.#save]) part.hidden = false;
    for (const part of [this.#continue, this.#change]) part.hidden = true;
    this.#status.textContent = '';
    this.#field.focus();
  }

  #settle(status: string): void {
    for (const part of [this.#field, this.#save]) part.hidden = true;
    this.#change.hidden = false;
    this.#status.textContent = status;
  }

  async #submit(): Promise<void> {
    const { bundle, id } = this.#secret;
    this.#save.disabled = true;
    this.#problem.textContent = '';
    try {
      await saveSecret(bundle, id, this.#field.value);
      this.#field.value = '';
      this.#settle('Saved.');
      this.#continue.hidden = false;
      this.#continue.focus();
    } catch (error) {
      this.#problem.textContent = problemOf(error);
      this.#field.focus();
    } finally {
      this.#save.disabled = false;
    }
  }
}

function problemOf(error: unknown): string {
  if (!isRefusal(error)) return 'Not saved: the server cannot be reached. Try again.';
  return `Not saved: ${error.message.replace(/\.$/, '')}.`;
}
