import { once } from 'node:events';
import { createServer } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type Signer = { readonly kid: string; readonly key: CryptoKey; readonly shown: JWK };

/** A token issuer over real HTTP, with its discovery document and its public keys. */
export type Issuer = AsyncDisposable & {
  readonly url: string;
  /** Every question it was asked, by path. */
  readonly asked: string[];
  readonly signer: Signer;
  /** Takes new keys, shows those given, and forgets the others. */
  rotate(...signers: readonly Signer[]): void;
  /** What it says of itself, instead of the truth. */
  pretend(discovery: object | undefined): void;
  /** Answers nothing but an error until it is called with false. */
  fail(failing: boolean): void;
  /** A token for Ann, good for an hour; `claims` win. */
  token(claims?: object, options?: SignOptions): Promise<string>;
};

type SignOptions = {
  readonly signer?: Signer;
  /** Seconds, from now. */
  readonly forSeconds?: number;
  readonly without?: readonly string[];
};

export async function createSigner(kid: string, alg = 'ES256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, key: privateKey, shown: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export async function openIssuer(nowMs: () => number = Date.now): Promise<Issuer> {
  let shown = [await createSigner('k1')];
  let isFailing = false;
  let discovery: object | undefined;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (isFailing) return void response.writeHead(503).end();
    const body = request.url?.endsWith('/keys')
      ? { keys: shown.map((signer) => signer.shown) }
      : (discovery ?? { issuer: url, jwks_uri: `${url}/keys` });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const first = () => {
    const [signer] = shown;
    if (!signer) throw new Error('no signer');
    return signer;
  };
  return {
    url,
    asked,
    get signer() {
      return first();
    },
    rotate: (...signers) => {
      shown = [...signers];
    },
    pretend: (said) => {
      discovery = said;
    },
    fail: (failing) => {
      isFailing = failing;
    },
    token: (claims = {}, { signer = first(), forSeconds = 3600, without = [] } = {}) => {
      const now = Math.floor(nowMs() / 1000);
      const all = { iss: url, aud: 'timeloom', sub: 'ann', exp: now + forSeconds, ...claims };
      const kept = Object.entries(all).filter(([name]) => !without.includes(name));
      const header = { alg: signer.shown.alg ?? 'ES256', kid: signer.kid };
      return new SignJWT(Object.fromEntries(kept)).setProtectedHeader(header).sign(signer.key);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
