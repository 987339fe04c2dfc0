import { z } from 'zod';
import type { SignInSettings } from '../../../adapters/issuer/sign-in/settings.ts';

const text = z.string().min(1);
/** One word, as providers write scopes and parameters. */
const word = z.string().regex(/^[!-~]+$/, 'one word without spaces');

/** Parameters that the sign-in itself sets. */
const reserved = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method'],
];

/** `sign_in` of gateway.yaml: the page signs people in at the issuer of the tokens. */
export const SignInDescriptor = z.strictObject({
  client_id: text,
  /** What people call the provider; default: its host. */
  name: text.optional(),
  scopes: z.array(word).min(1).default(['openid']),
  token: z.enum(['id', 'access']).default('id'),
  parameters: z
    .record(word, z.string())
    .refine(
      (given) => !reserved.some((name) => Object.hasOwn(given, name)),
      `the sign-in itself sets ${reserved.join(', ')}`,
    )
    .default({}),
});

type Sources = {
  readonly descriptor: z.infer<typeof SignInDescriptor>;
  readonly issuer: { readonly issuer: string; readonly audience: readonly string[] };
  readonly secret: string | undefined;
};

export const signInSecretName = 'TIMELOOM_SIGN_IN_SECRET';

/** The reason why these settings allow no sign-in; undefined: they fit. */
export function signInProblem(
  { descriptor, issuer: { issuer, audience } }: Sources,
  { keys }: { readonly keys: 'issuer' | 'address' | 'file' | 'secret' },
): string | undefined {
  const { client_id: client, token, scopes } = descriptor;
  if (keys === 'secret') {
    return 'sign_in requires an identity provider; remove TIMELOOM_AUTH_SECRET and set auth.issuer to the address of the provider';
  }
  if (!URL.canParse(issuer))
    return `sign_in requires the address of the provider in auth.issuer, not “${issuer}”`;
  if (token === 'id' && !audience.includes(client)) {
    return `ID tokens are for the client “${client}”; add it to auth.audience in assembly.yaml, or set sign_in.token: access`;
  }
  if (token === 'id' && !scopes.includes('openid'))
    return 'add openid to sign_in.scopes: without it the provider sends no ID token';
  return undefined;
}

export function toSignIn({ descriptor, issuer: { issuer }, secret }: Sources): SignInSettings {
  const { client_id: clientId, name, scopes, token, parameters } = descriptor;
  return {
    ...{ issuer, clientId, scopes, token, parameters },
    clientSecret: secret,
    name: name ?? new URL(issuer).host,
  };
}
