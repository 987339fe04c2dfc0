/// <reference lib="dom" />
import { h, type View } from '../dom/elements.ts';
import { listSecrets, type UserSecret } from '../server/user-secrets.ts';
import type { Item } from '../transcript/transcript-types.ts';
import { SecretForm } from './secret-form.ts';
import type { ViewContext } from './view-context.ts';

type Secret = Item & { readonly kind: 'secret' };

/** Requests a secret that a tool requires, or shows that it is set. */
export function viewSecret({ ask }: ViewContext): View<Secret> {
  const element = h('div', { class: 'secrets' });
  const done = (id: string) => ask(`${id} is set. Please continue.`);
  let isShown = false;
  const show = async (item: Secret) => {
    const secrets = await missingSecrets(item);
    const forms = secrets.map((secret) => new SecretForm({ ...secret, bundle: item.bundle }, done));
    element.replaceChildren(...forms.map((form) => form.element));
  };
  return {
    element,
    update: (item) => {
      if (!isShown) void show(item);
      isShown = true;
    },
  };
}

/** The missing secrets as the server lists them or, if it does not answer, as the call named them. */
async function missingSecrets({ bundle, id, description }: Secret): Promise<readonly UserSecret[]> {
  try {
    const all = await listSecrets(bundle);
    return all.filter((secret) => (id === '' ? !secret.set : secret.id === id));
  } catch {
    return id === '' ? [] : [{ id, description, set: false }];
  }
}
