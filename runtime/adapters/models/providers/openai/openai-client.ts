import { OpenAI } from 'openai';
import { readableErrors } from './error-body.ts';

type Endpoint = {
  /** If absent, no key is sent, for servers that need none. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly timeout: number;
};

/** Client for the provider or a compatible server. Ignores the environment and does not retry; the caller decides about retries. */
export function openaiClient({ apiKey, baseUrl, timeout }: Endpoint): OpenAI {
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout,
    logLevel: 'off',
    fetch: readableErrors,
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
  });
}
