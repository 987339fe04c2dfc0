import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AwsSecrets } from '../../../../runtime/adapters/secrets/aws-secrets.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { fakeSecrets } from '../../../tools/aws/secrets.ts';
import { startWire, WireError } from '../../../tools/aws/wire.ts';

const operation = 'GetSecretValue';
const create = 'secretsmanager.CreateSecret';
const aws = 'timeloom/ops/pager';

let scope: Scope;
beforeEach(() => {
  scope = new Scope();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await scope[Symbol.asyncDispose]();
});

/** The AWS client over a server that speaks its wire protocol. */
async function open() {
  const { operations } = fakeSecrets();
  const wire = scope.own(await startWire(operations));
  const place = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: wire.url,
  };
  for (const [name, value] of Object.entries(place)) vi.stubEnv(name, value);
  const put = async (value: string) => {
    await operations['secretsmanager.DeleteSecret']?.({ SecretId: aws }).catch(() => undefined);
    await operations[create]?.({ Name: aws, SecretString: value });
  };
  const clock = manualClock();
  const secrets = scope.own(new AwsSecrets({ clock, log: silentLog }));
  return { wire, put, clock, secrets };
}

// proves: secrets.aws
test('a secret is read once a minute, so that a rotated one is used without a restart', async () => {
  const { wire, put, clock, secrets } = await open();
  await put('one');
  expect(await Promise.all([secrets.get({ aws }), secrets.get({ aws })])).toEqual(['one', 'one']);
  await put('two');
  expect(await secrets.get({ aws })).toBe('one');
  expect(wire.asked).toEqual([operation]);
  await clock.advance(60_000);
  expect(await secrets.get({ aws })).toBe('two');
});

test('a key selects a text of a secret whose value is a JSON object', async () => {
  const { put, secrets } = await open();
  await put('{"token":"t-1","port":5}');
  expect(await secrets.get({ aws, key: 'token' })).toBe('t-1');
  for (const key of ['port', 'nothing'])
    await expect(secrets.get({ aws, key })).rejects.toThrow(`${aws} has no text “${key}”`);
});

test('a secret that does not exist is not set, and one that may not be read is a fault', async () => {
  const { wire, put, secrets } = await open();
  expect(await secrets.get({ aws: 'timeloom/none' })).toBeUndefined();
  await put('one');
  wire.spoil(operation, async () => {
    throw new WireError('AccessDeniedException', 'not authorized to perform GetSecretValue');
  });
  await expect(secrets.get({ aws })).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
});

// proves: secrets.aws-away
test('while AWS does not answer, the last value is used', async () => {
  const { wire, put, clock, secrets } = await open();
  await put('one');
  expect(await secrets.get({ aws })).toBe('one');
  await clock.advance(60_000);
  const down = async () => {
    throw new WireError('AccessDeniedException', 'for now');
  };
  wire.spoil(operation, down);
  expect(await secrets.get({ aws })).toBe('one');
});
