import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider, { type Configuration, errors } from 'oidc-provider';

export type IdentityProvider = AsyncDisposable & {
  readonly url: string;
  /** Seconds that the next ID tokens live. */
  idTokenSeconds: number;
  /** Token requests, by grant. */
  readonly grants: readonly string[];
};

type Client = {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Where the client's users come back to, signed in or out. */
  readonly origin: () => string;
  /** Whether programs may register as clients and get access tokens for this resource (RFC 7591, RFC 8707). Absent: none. */
  readonly serves?: (resource: string) => boolean;
};

/** A certified OpenID provider over real HTTP. Its pages accept every name and password. */
export async function openIdentityProvider({
  clientId,
  clientSecret,
  origin,
  serves,
}: Client): Promise<IdentityProvider> {
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    provider ??= open();
    void provider.callback()(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const grants: string[] = [];
  const life = { idTokenSeconds: 3600 };
  // The clients' address is known at the first request.
  const open = () => {
    const opened = new Provider(url, {
      clients: [
        {
          client_id: clientId,
          ...(clientSecret === undefined
            ? { token_endpoint_auth_method: 'none' }
            : { client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' }),
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [`${origin()}/api/session/callback`],
          post_logout_redirect_uris: [`${origin()}/`],
        },
      ],
      claims: { openid: ['sub'] },
      ...(serves && { features: resourceFeatures(serves), scopes: [resourceScope] }),
      cookies: { keys: ['a test key'] },
      pkce: { required: () => true },
      ttl: {
        IdToken: () => life.idTokenSeconds,
        AccessToken: 3600,
        AuthorizationCode: 60,
        Grant: 86_400,
        Interaction: 3600,
        RefreshToken: 86_400,
        Session: 86_400,
      },
    });
    opened.on('grant.success', ({ oidc }) => {
      grants.push(String(oidc.params?.['grant_type']));
    });
    return opened;
  };
  return {
    url,
    grants,
    get idTokenSeconds() {
      return life.idTokenSeconds;
    },
    set idTokenSeconds(seconds: number) {
      life.idTokenSeconds = seconds;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The scope of every resource. */
export const resourceScope = 'read';

/** Access tokens are JSON Web Tokens with the resource as their audience. */
function resourceFeatures(serves: (resource: string) => boolean): Configuration['features'] {
  return {
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => {
        if (!serves(resource)) throw new errors.InvalidTarget();
        return { scope: resourceScope, accessTokenFormat: 'jwt' };
      },
    },
  };
}
