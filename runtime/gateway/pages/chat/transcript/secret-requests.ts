import type { ChatEvent } from '../../../../client/index.ts';
import { fields, text } from './json-fields.ts';
import type { Item } from './transcript-types.ts';

type Secret = Item & { readonly kind: 'secret' };

/** A secret that a tool needs, with the bundle's words for it. */
export function requireSecret(
  items: readonly Item[],
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  const [bundle, id] = [text(data['bundle']), text(data['id'])];
  return add(items, {
    ...{ kind: 'secret', key: `secret.${bundle}.${id}`, bundle, id },
    description: text(data['description']),
  });
}

/**
 * The live event names the missing secret, but it is not stored. Later the result only shows that a secret was missing, and
 * the server knows which.
 */
export function addMissingSecret(
  items: readonly Item[],
  bundle: string,
  { data }: ChatEvent & { type: 'chat.tool' },
): readonly Item[] {
  const { code } = fields(fields(data.result)['error']);
  if (code !== 'secret_required' || items.some(({ kind }) => kind === 'secret')) return items;
  return add(items, {
    kind: 'secret',
    key: `secret.${data.call}`,
    bundle,
    id: '',
    description: '',
  });
}

function add(items: readonly Item[], secret: Secret): readonly Item[] {
  if (items.some(({ key }) => key === secret.key)) return items;
  return [...items, secret];
}
