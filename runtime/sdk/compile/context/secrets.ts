import { Fault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { UserSecretEntry } from '../../contract/user-secrets.ts';
import type { Context, ToolContext } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Secret } from '../../define/keys.ts';
import type { SecretDefinition } from '../../define/settings.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';

const requiredCode = 'secret_required';

/** Live event type: a tool requires a secret that its user has not set. */
const requiredEvent = 'secret.required';

/**
 * The value of a secret of the bundle. A user's secret is looked up for that user only. Faults `NOT_IN_BUNDLE`,
 * `SECRET_MISSING`; Refusal `secret_required` if the user has not set it yet.
 */
export async function readSecret(
  secret: Secret,
  { host, mask, definition }: LoadedBundle,
  { user }: { readonly user?: string | undefined } = {},
): Promise<string> {
  if (!isDefinition('secret', secret) || !definition.secrets?.includes(secret)) {
    throw new Fault('NOT_IN_BUNDLE', { because: `secret ${secret.id}` });
  }
  const bundle = definition.id;
  const owner = secret.for === 'user' && user !== undefined ? { user } : {};
  const value = await host.secret({ id: secret.id, for: secret.for, bundle, ...owner });
  if (value === undefined) throw missing(secret, { bundle, user });
  mask.add(value);
  return value;
}

function missing(
  { id, for: scope, description }: SecretDefinition,
  { bundle, user }: { readonly bundle: string; readonly user: string | undefined },
): Error {
  if (scope !== 'user') return new Fault('SECRET_MISSING', { because: id });
  if (user === undefined) {
    return new Fault('SECRET_MISSING', {
      because: `${id} belongs to a user, and no user is known`,
    });
  }
  const where = `PUT ${addressOf(bundle, id)}`;
  const message = `The user has not set “${id}” (${description}). They set it with ${where}, never in a message.`;
  return new Refusal(requiredCode, message);
}

/** `ctx.secrets` in a tool. A missing user secret is also requested in the chat. */
export function withSecretRequests(
  secrets: Context['secrets'],
  { definition }: LoadedBundle,
  emit: ToolContext['emit'],
): Context['secrets'] {
  const requesting = async <T>(secret: Secret, reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      if (isRefusal(error) && error.code === requiredCode && isDefinition('secret', secret)) {
        const { id, description } = secret;
        const { id: bundle } = definition;
        emit(requiredEvent, { bundle, id, description, method: 'PUT', url: addressOf(bundle, id) });
      }
      throw error;
    }
  };
  return {
    get: (secret) => requesting(secret, secrets.get(secret)),
    matches: (secret, given) => requesting(secret, secrets.matches(secret, given)),
  };
}

function addressOf(bundle: string, id: string): string {
  return ['/api/me/secrets', bundle, id]
    .map((part, at) => (at ? encodeURIComponent(part) : part))
    .join('/');
}

/** The secrets that users of the bundle may set. */
export function userSecretsOf({ definition }: LoadedBundle): readonly UserSecretEntry[] {
  return (definition.secrets ?? []).flatMap((secret) =>
    isDefinition('secret', secret) && secret.for === 'user'
      ? [{ id: secret.id, description: secret.description }]
      : [],
  );
}
