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

/** Encrypted with `TIMELOOM_SECRETS_KEY`; with the embedded database a key file in the data directory will do. */
export function openUserSecrets(
  { secretsKey, dataDir }: Settings,
  parts: { readonly storage: KeyValueStore; readonly log: Log },
): UserSecrets {
  const secret = async () => secretsKey ?? (await keyFileIn(dataDir));
  return createUserSecrets({ ...parts, secret });
}

/** Processes that share a database must share the key. Fault `CONFIG_INVALID`. */
export function assertSecretsKey({ secretsKey, databaseUrl }: Settings, bundle: Bundle): void {
  if (secretsKey !== undefined || databaseUrl === undefined) return;
  const secrets = isDefinition('bundle', bundle) ? (bundle.secrets ?? []) : [];
  const own = secrets.find((secret) => isDefinition('secret', secret) && secret.for === 'user');
  if (!own) return;
  const fix = `set TIMELOOM_SECRETS_KEY (at least ${secretsKeyCharsMin} characters, the same in every process)`;
  const because = `secret “${own.id}” of “${bundle.id}” is stored encrypted in the shared database; ${fix}`;
  throw new Fault('CONFIG_INVALID', { because });
}
