import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { answerMsMax, connectMsMax, readAttemptsMax, secretRefreshMs } from './limits.ts';

const options = {
  maxAttempts: readAttemptsMax,
  requestHandler: { connectionTimeout: connectMsMax, requestTimeout: answerMsMax },
};

/** A secret of AWS Secrets Manager: its name or ARN and, if its value is a JSON object, a key of that. */
export type AwsSecret = { readonly aws: string; readonly key?: string | undefined };

type CacheEntry = { readonly value: string | undefined; readonly untilMs: number };

/**
 * Reads secrets from AWS Secrets Manager, with the credentials and region of the AWS clients. A value is read again after
 * `secretRefreshMs`, so that a rotated secret is used without a restart; if that fails, the last value is used on.
 */
export class AwsSecrets implements Disposable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kept = new Map<string, CacheEntry>();
  readonly #reads = new Map<string, Promise<string | undefined>>();
  #client: Promise<SecretsManagerClient> | undefined;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Undefined: the secret does not exist. Fault `SECRETS_UNAVAILABLE`; `SECRET_MISSING` if its value has no such key. */
  async get({ aws, key }: AwsSecret): Promise<string | undefined> {
    const value = await this.#current(aws);
    if (value === undefined || key === undefined) return value;
    const parsed = parseJson(value);
    const isObject = isJsonObject(parsed);
    const field = isObject ? parsed[key] : undefined;
    if (typeof field === 'string') return field;
    const because = isObject ? `${aws} has no text “${key}”` : `${aws} is not a JSON object`;
    throw new Fault('SECRET_MISSING', { because });
  }

  [Symbol.dispose](): void {
    void this.#client?.then((client) => client.destroy());
  }

  async #current(name: string): Promise<string | undefined> {
    const kept = this.#kept.get(name);
    if (kept && kept.untilMs > this.#clock.monotonic()) return kept.value;
    const reading = this.#reads.get(name) ?? this.#read(name);
    this.#reads.set(name, reading);
    try {
      return await reading;
    } catch (error) {
      if (kept?.value === undefined) throw error;
      this.#log.warn('secret not read again, its last value is used', { name, error });
      return kept.value;
    } finally {
      this.#reads.delete(name);
    }
  }

  async #read(name: string): Promise<string | undefined> {
    const value = await this.#fetch(name);
    this.#kept.set(name, { value, untilMs: this.#clock.monotonic() + secretRefreshMs });
    return value;
  }

  async #fetch(name: string): Promise<string | undefined> {
    // Loaded when the first secret is read: most installations have none.
    const aws = await import('@aws-sdk/client-secrets-manager');
    this.#client ??= Promise.resolve(new aws.SecretsManagerClient(options));
    const client = await this.#client;
    try {
      const answer = await client.send(new aws.GetSecretValueCommand({ SecretId: name }));
      return answer.SecretString;
    } catch (cause) {
      if (cause instanceof aws.ResourceNotFoundException) return undefined;
      const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
      throw new Fault('SECRETS_UNAVAILABLE', { because: `${name}: ${said}` }, { cause });
    }
  }
}
