import { OpenAI } from 'openai';

type Endpoint = {
  /** Absent: nothing is sent, as servers without keys want it. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly timeout: number;
};

/** The provider, or another server that speaks the same; of the environment it takes nothing. Tries once: who asks decides. */
export function openaiClient({ apiKey, baseUrl, timeout }: Endpoint): OpenAI {
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout,
    logLevel: 'off',
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
  });
}
