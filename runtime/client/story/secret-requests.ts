import type { StoryPart } from '../api/story.ts';
import type { ChatEvent } from '../api/types.ts';
import { fields, text } from './json-fields.ts';

type Secret = StoryPart & { readonly kind: 'secret' };

/** A secret that a tool needs, with the bundle's words for it. */
export function requireSecret(
  parts: readonly StoryPart[],
  data: Readonly<Record<string, unknown>>,
): readonly StoryPart[] {
  const [bundle, id] = [text(data['bundle']), text(data['id'])];
  return add(parts, {
    ...{ kind: 'secret', key: `secret.${bundle}.${id}`, bundle, id },
    description: text(data['description']),
  });
}

/**
 * The live event names the missing secret, but it is not stored. Later the result only shows that a secret was missing, and
 * the server knows which.
 */
export function addMissingSecret(
  parts: readonly StoryPart[],
  bundle: string,
  { data }: ChatEvent & { type: 'chat.tool' },
): readonly StoryPart[] {
  const { code } = fields(fields(data.result)['error']);
  if (code !== 'secret_required' || parts.some(({ kind }) => kind === 'secret')) return parts;
  return add(parts, {
    kind: 'secret',
    key: `secret.${data.call}`,
    bundle,
    id: '',
    description: '',
  });
}

function add(parts: readonly StoryPart[], secret: Secret): readonly StoryPart[] {
  if (parts.some(({ key }) => key === secret.key)) return parts;
  return [...parts, secret];
}
