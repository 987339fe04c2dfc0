import { afterEach, beforeEach } from 'vitest';
import { defaultClaims } from '../../../../runtime/adapters/issuer/settings.ts';
import { openTokens, type Tokens } from '../../../../runtime/adapters/issuer/tokens.ts';
import type { Log } from '../../../../runtime/base/log.ts';
import type { GatewayDeps } from '../../../../runtime/gateway/ports/gateway-deps.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { type Issuer, openIssuer } from '../../../tools/services/issuer.ts';
import { openStage, type Stage } from '../stage.ts';

export let issuer: Issuer;
export let stage: Stage;
export let clock: ReturnType<typeof manualClock>;
/** Everything the gateway logged, errors with their causes. */
export let logged: string[] = [];

/** A page of another origin that may come in. */
export const desk = 'https://desk.acme.io';
/** The audience of tokens for one MCP endpoint. */
export const endpointAudience = 'https://desk.acme.io/api/bundles/dev/dev/acme/mcp/acme';
export const messages = '/api/chat/dev/dev/messages';

/** Gives each test of the file that calls this an issuer over HTTP, and a gateway that believes its tokens. */
export function withIssuer(more: Partial<GatewayDeps> = {}): void {
  let tokens: Tokens;
  beforeEach(async () => {
    clock = manualClock('2030-01-01T00:00:00.000Z');
    logged = [];
    issuer = await openIssuer(() => clock.now());
    const keys = { from: 'issuer' } as const;
    const log = logInto(logged);
    tokens = openTokens(
      { issuer: issuer.url, audience: ['timeloom', endpointAudience], keys, claims: defaultClaims },
      { clock, log },
    );
    const authorizationServer = { issuer: issuer.url, scopes: [] };
    const auth = { mode: 'jwt', tokens, origins: [desk], authorizationServer } as const;
    stage = await openStage({ ...more, auth, log, clock });
  });
  afterEach(async () => {
    await stage[Symbol.asyncDispose]();
    tokens[Symbol.dispose]();
    await issuer[Symbol.asyncDispose]();
  });
}

function logInto(lines: string[]): Log {
  const toText = (_: string, value: unknown): unknown =>
    value instanceof Error ? `${value.stack} ${String(value.cause)}` : value;
  const say = (message: string, facts: object = {}) =>
    void lines.push(`${message} ${JSON.stringify(facts, toText)}`);
  const log: Log = { debug: say, info: say, warn: say, error: say, with: () => log };
  return log;
}

export function call(path: string, { headers, ...init }: RequestInit = {}, token?: string) {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(new URL(path, stage.gateway.url), { ...init, headers: { ...headers, ...bearer } });
}

export function say(id: string, token?: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ message_id: id, text: 'Why?' });
  const json = { 'content-type': 'application/json', ...headers };
  return call(messages, { method: 'POST', body, headers: json }, token);
}

/** The status, and `ok` or the code of the error. */
export async function outcomeOf(asking: Promise<Response>): Promise<unknown[]> {
  const response = await asking;
  const { ok, error } = (await response.json()) as { ok: boolean; error?: { code: string } };
  return [response.status, ok ? 'ok' : error?.code];
}

type TurnedAway = Error & { readonly data: { readonly code: string; readonly message: string } };

/** Why a socket is not let in. */
export function turnedAway(
  auth: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TurnedAway> {
  const socket = stage.connect(auth, headers);
  return new Promise((resolve) =>
    socket.once('connect_error', (error) => resolve(error as TurnedAway)),
  );
}
