import { type Operation, WireError } from './wire.ts';

type Secret = { readonly Name: string; readonly SecretString: string; readonly Tags: unknown };

const valueBytesMax = 65_536;

/** Secrets Manager as far as launch payloads need it; `kept` is what it holds now. */
export function fakeSecrets(): {
  readonly kept: ReadonlyMap<string, Secret>;
  readonly operations: Readonly<Record<string, Operation>>;
} {
  const kept = new Map<string, Secret>();
  const found = (id: unknown) => {
    const secret = kept.get(String(id));
    if (secret) return secret;
    throw new WireError('ResourceNotFoundException', "Secrets Manager can't find the secret.");
  };
  const operations: Record<string, Operation> = {
    'secretsmanager.CreateSecret': async ({ Name, SecretString, Tags }) => {
      const secret = { Name: String(Name), SecretString: String(SecretString), Tags };
      if (kept.has(secret.Name)) throw new WireError('ResourceExistsException', secret.Name);
      if (Buffer.byteLength(secret.SecretString) > valueBytesMax)
        throw new WireError('InvalidParameterException', 'SecretString is too long');
      kept.set(secret.Name, secret);
      return { Name };
    },
    'secretsmanager.GetSecretValue': async ({ SecretId }) => {
      const { Name, SecretString } = found(SecretId);
      return { Name, SecretString };
    },
    'secretsmanager.DeleteSecret': async ({ SecretId }) => {
      const { Name } = found(SecretId);
      kept.delete(Name);
      return { Name };
    },
    'secretsmanager.ListSecrets': async () => ({
      SecretList: [...kept.values()].map(({ Name, Tags }) => ({ Name, Tags })),
    }),
  };
  return { kept, operations };
}
