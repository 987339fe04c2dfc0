import { join } from 'node:path';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { signInWithoutBrowser } from '../../tools/services/browserless-sign-in.ts';
import { openIdentityProvider } from '../../tools/services/identity-provider.ts';
import { freePort } from '../../tools/services/services.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const source = `
import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
import { z } from 'zod';
const whoAmI = defineTool({ id: 'desk.who', description: 'Who.', input: z.object({}), run: (_, ctx) => ctx.ids.user });
const main = defineAgent({ id: 'main', instruction: 'x' });
export const bundle = defineBundle({ id: 'desk', version: '1', agents: [main], mcp: { expose: [
  { id: 'desk', tools: [whoAmI] },
  { id: 'other', tools: [whoAmI] },
] } });
`;
const back = 'http://127.0.0.1:1/back';

/** A server whose configuration names an identity provider that issues tokens for one of its two endpoints. */
async function openDesk() {
  const scope = new Scope();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const [desk, other] = ['desk', 'other'].map(
    (id) => `${origin}/api/bundles/dev/dev/desk/mcp/${id}`,
  );
  const serves = (resource: string) => resource === desk;
  const provider = scope.own(
    await openIdentityProvider({ clientId: 'page', origin: () => origin, serves }),
  );
  const auth = {
    mode: 'jwt',
    issuer: provider.url,
    audience: ['page', desk, other],
    scopes: ['read'],
  };
  const folder = scope.own(
    await openFolder({
      'assembly.yaml': JSON.stringify({ auth }),
      'bundles.yaml': 'bundles:\n  - { id: desk, path: ./desk }\n',
      'desk/bundle.ts': source,
      'script.yaml': 'replies:\n  - { answer: Hello. }\n',
    }),
  );
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: folder.dir,
    TIMELOOM_DATA_DIR: join(folder.dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(folder.dir, 'script.yaml')}`,
    TIMELOOM_PORT: String(port),
    TIMELOOM_LOG: 'error',
  });
  const { signal } = new AbortController();
  await openServer(config, { scope, signal, roles: { worker: true, gateway: true } });
  return { scope, origin, desk: new URL(desk ?? ''), other: new URL(other ?? '') };
}

/** A client program that knows nothing but an address, and keeps what it learns. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = back;
  readonly clientMetadata = {
    client_name: 'editor',
    redirect_uris: [back],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  };
  readonly kept = new Map<string, unknown>();
  /** Where the user is sent to sign in. */
  sentTo: URL | undefined;

  clientInformation = () => this.kept.get('client') as never;
  saveClientInformation = (client: unknown) => void this.kept.set('client', client);
  tokens = () =>
    this.kept.get('tokens') as { access_token: string; token_type: string } | undefined;
  saveTokens = (tokens: unknown) => void this.kept.set('tokens', tokens);
  codeVerifier = () => String(this.kept.get('verifier'));
  saveCodeVerifier = (verifier: string) => void this.kept.set('verifier', verifier);
  discoveryState = () => this.kept.get('discovery') as never;
  saveDiscoveryState = (state: unknown) => void this.kept.set('discovery', state);
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
}

// proves: mcp-server-sign-in, mcp-server-audience
test.each(['legacy', 'auto'] as const)(
  'the official client (%s) finds the issuer, signs its user in and calls a tool; the token is for this endpoint only',
  async (mode) => {
    const { scope, origin, desk, other } = await openDesk();
    await using _ = scope;
    const keeper = new Keeper();
    const open = async (address: URL) => {
      const client = new Client({ name: 'editor', version: '1' }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(address, { authProvider: keeper });
      scope.defer(() => client.close());
      return { client, transport, connected: client.connect(transport as never) };
    };
    const first = await open(desk);
    await expect(first.connected).rejects.toThrow(UnauthorizedError);
    const { sentTo = desk } = keeper;
    expect(sentTo.searchParams.get('resource')).toBe(desk.href);
    expect(sentTo.searchParams.get('scope')).toBe('read');
    await first.transport.finishAuth(await signInWithoutBrowser(sentTo, { user: 'ann', back }));
    const { client, connected } = await open(desk);
    await connected;
    const { content } = await client.callTool({ name: 'desk.who', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'ann' }]);
    const token = keeper.tokens()?.access_token ?? '';
    expect(decodeJwt(token)).toMatchObject({ aud: desk.href, sub: 'ann' });
    const headers = { authorization: `Bearer ${token}` };
    for (const url of [other.href, `${origin}/conversations/dev/dev`, `${origin}/api/session`]) {
      const refused = await fetch(url, { headers });
      expect([refused.status, await refused.text()]).toEqual([
        401,
        expect.stringContaining(`the token is only for ${desk.href}`),
      ]);
    }
  },
);

// proves: mcp-server-sign-in
test('the issuer gives the official client no token for an endpoint that it does not know', async () => {
  const { scope, other } = await openDesk();
  await using _ = scope;
  const keeper = new Keeper();
  const transport = new StreamableHTTPClientTransport(other, { authProvider: keeper });
  const client = new Client({ name: 'editor', version: '1' });
  await expect(client.connect(transport as never)).rejects.toThrow(UnauthorizedError);
  const answer = await fetch(keeper.sentTo ?? other, { redirect: 'manual' });
  const sentBack = new URL(answer.headers.get('location') ?? '');
  expect(sentBack.searchParams.get('error')).toBe('invalid_target');
});
