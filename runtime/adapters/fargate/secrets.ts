import {
  CreateSecretCommand,
  DeleteSecretCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager';
import { Fault } from '../../base/fault.ts';
import { attemptsMax } from './limits.ts';
import type { FargateSettings } from './settings.ts';
import type { Tags } from './tags.ts';

type Waits = { readonly signal: AbortSignal };

/** Launch payloads, one secret for each execution. What the service cannot do is Fault `EXEC_FAILED`. */
export class Secrets implements Disposable {
  readonly #client: SecretsManagerClient;

  constructor({ endpoints }: FargateSettings) {
    this.#client = new SecretsManagerClient({
      maxAttempts: attemptsMax,
      ...(endpoints === undefined ? {} : { endpoint: endpoints.aws }),
    });
  }

  async create(
    name: string,
    value: string,
    { tags, signal }: Waits & { tags: Tags },
  ): Promise<void> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const request = new CreateSecretCommand({ Name: name, SecretString: value, Tags });
    await asked(this.#client.send(request, { abortSignal: signal }));
  }

  /** At once and for good; gone already is as good. */
  async remove(name: string): Promise<void> {
    const request = { SecretId: name, ForceDeleteWithoutRecovery: true };
    try {
      await this.#client.send(new DeleteSecretCommand(request));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw toFault(error);
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toFault(error);
  }
}

function toFault(cause: unknown): unknown {
  const service = cause instanceof SecretsManagerServiceException;
  if (!service && !(cause instanceof Error && 'code' in cause)) return cause;
  const because = `Secrets Manager: ${cause.name} ${cause.message}`;
  return new Fault('EXEC_FAILED', { because }, { cause });
}
