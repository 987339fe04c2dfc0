import {
  CreateSecretCommand,
  DeleteSecretCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { FargateSettings } from '../settings/settings.ts';
import { callService, clientOptions, toFault } from './client.ts';
import type { Tags } from './tags.ts';

const service = 'Secrets Manager';

type Waits = { readonly signal: AbortSignal };

/** Launch payloads, one secret for each execution. Errors of the service are Fault `EXEC_FAILED`. */
export class Secrets implements Disposable {
  readonly #client: SecretsManagerClient;

  constructor(settings: FargateSettings) {
    this.#client = new SecretsManagerClient(clientOptions(settings));
  }

  async create(
    name: string,
    value: string,
    { tags, signal }: Waits & { tags: Tags },
  ): Promise<void> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const request = new CreateSecretCommand({ Name: name, SecretString: value, Tags });
    await callService(service, this.#client.send(request, { abortSignal: signal }));
  }

  /** Removes the secret at once, without recovery. A missing secret is not an error. */
  async remove(name: string): Promise<void> {
    const request = { SecretId: name, ForceDeleteWithoutRecovery: true };
    try {
      await this.#client.send(new DeleteSecretCommand(request));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw toFault(service, error);
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}
