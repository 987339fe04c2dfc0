import { keyFileIn } from '../../adapters/secrets/key-file.ts';
import { createUserSecrets } from '../../adapters/secrets/user-secrets.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { Bundle } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import type { Config } from '../config/config.ts';
import { secretsKeyCharsMin } from '../config/limits.ts';

type Settings = Pick<Config, 'secretsKey' | 'databaseUrl' | 'dataDir'>;

/** Encrypted with `TIMELOOM_SECRETS_KEY`, or with a key file in the data directory. */
export function openUserSecrets(
  { secretsKey, dataDir }: Settings,
  parts: { readonly storage: KeyValueStore; readonly log: Log },
): UserSecrets {
  const secret = async () => secretsKey ?? (await keyFileIn(dataDir));
  return createUserSecrets({ ...parts, secret });
}

/** Throws Fault `CONFIG_INVALID` without a key where processes share a database, because they must share the key too. */
export function assertSecretsKey({ secretsKey, databaseUrl }: Settings, bundle: Bundle): void {
  if (secretsKey !== undefined || databaseUrl === undefined) return;
  const secrets = isDefinition('bundle', bundle) ? (bundle.secrets ?? []) : [];
  const own = secrets.find((secret) => isDefinition('secret', secret) && secret.for === 'user');
  if (!own) return;
  const fix = `set TIMELOOM_SECRETS_KEY (at least ${secretsKeyCharsMin} characters, the same in every process)`;
  const because = `secret “${own.id}” of “${bundle.id}” is stored encrypted in the shared database; ${fix}`;
  throw new Fault('CONFIG_INVALID', { because });
}
