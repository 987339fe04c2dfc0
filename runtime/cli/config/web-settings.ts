import { z } from 'zod';
import type { EngineSettings } from '../../adapters/web/search-engines.ts';

const url = z.url({ protocol: /^https?$/, error: 'an address with https:// or http://' });

/** `web` of assembly.yaml: what `web_tools.*` use. */
export const Web = z
  .strictObject({
    search: z.discriminatedUnion('engine', [
      z.strictObject({ engine: z.literal('searxng'), url }),
      z.strictObject({ engine: z.literal('brave'), url: url.optional() }),
      z.strictObject({ engine: z.literal('tavily'), url: url.optional() }),
    ]),
    /** Hosts that `web_tools.fetch` may read although their address is not public. */
    private_hosts: z.array(z.string().min(1)),
  })
  .partial();

/** `dispatch` of gateway.yaml: addresses that requests may name to perform their functions. */
export const DispatchSettings = z
  .strictObject({
    /** Each allows itself and everything below it. */
    urls: z.array(
      url.refine(
        (text) => !/[?#@]/.test(text),
        'write the address without a query, fragment or credentials',
      ),
    ),
    /** Hosts of `urls` whose address may be private. */
    private_hosts: z.array(z.string().min(1)),
  })
  .partial();

export type DispatchConfig = {
  readonly urls: readonly string[];
  readonly privateHosts: readonly string[];
};

export type WebConfig = {
  readonly search: EngineSettings | undefined;
  readonly privateHosts: readonly string[];
};

const keyed = {
  brave: { name: 'BRAVE_API_KEY', url: 'https://api.search.brave.com/' },
  tavily: { name: 'TAVILY_API_KEY', url: 'https://api.tavily.com/' },
} as const;

type Parts = {
  /** Value of a secret of the platform. */
  secret(name: string): string | undefined;
  readonly place: string;
  readonly problems: string[];
};

/** A missing key of the search engine is added to `problems`. */
export function toWeb(
  settings: z.infer<typeof Web> = {},
  { secret, place, problems }: Parts,
): WebConfig {
  const { search, private_hosts: privateHosts = [] } = settings;
  if (search === undefined || search.engine === 'searxng') return { search, privateHosts };
  const { name, url: usual } = keyed[search.engine];
  const key = secret(name);
  if (key === undefined)
    problems.push(`${place}: set ${name} in secrets.yaml or in the environment`);
  return { search: { engine: search.engine, url: search.url ?? usual, key }, privateHosts };
}

export function toDispatch({
  urls = [],
  private_hosts: privateHosts = [],
}: z.infer<typeof DispatchSettings> = {}): DispatchConfig {
  return { urls, privateHosts };
}
