import { afterEach } from 'vitest';
import { z } from 'zod';
import type { BundleHost } from '../../../../runtime/sdk/compile/host/bundle-host.ts';
import { defineSecret, type Operation } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../../sdk/kit.ts';
import { bundles, openStage, type Stage, scope } from '../stage.ts';

export const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'of the pager' });
export const value = 'a-very-secret-key';

let stage: Stage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

/** A gateway before one bundle with these operations, until the test is over. */
export async function serve(
  operations: readonly Operation[],
  host: Partial<BundleHost> = {},
  more: Parameters<typeof openStage>[0] = {},
): Promise<void> {
  const compiled = await compile(bundleWith([], { operations, secrets: [key] }), {
    host: { ...scope, secret: async () => value, ...host },
  });
  stage = await openStage({
    bundles: {
      ...bundles,
      operations: (bundle) => (bundle === 'acme' ? compiled.operations : []),
      operation: (bundle, id) =>
        bundle === 'acme' ? compiled.operations.find((one) => one.id === id) : undefined,
    },
    ...more,
  });
}

/** Without what says that a program asks. */
export function bare(path: string, init: RequestInit = {}, place = 'dev/dev/acme') {
  return fetch(`${stage?.gateway.url}/api/bundles/${place}/${path}`, init);
}

export function ask(path: string, init: RequestInit = {}, place = 'dev/dev/acme') {
  const headers = { 'x-timeloom-client': 'test', ...init.headers };
  return bare(path, { ...init, headers }, place);
}

export function post(path: string, body: unknown, more: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', ...more };
  return ask(path, { method: 'POST', body: JSON.stringify(body), headers });
}

const Answer = z.object({
  ok: z.boolean(),
  ret: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export async function answerOf(asking: Promise<Response>) {
  return Answer.parse(await (await asking).json());
}

/** The status, and what was returned or the code of the error. */
export async function outcomeOf(asking: Promise<Response>) {
  const { ok, ret, error } = await answerOf(asking);
  return [(await asking).status, ok ? ret : error?.code];
}
