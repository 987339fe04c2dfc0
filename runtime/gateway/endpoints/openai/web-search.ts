import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { countryCode, webDomain, webDomainsMax } from '../../../client/protocol/request-schemas.ts';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const location = {
  country: optional(z.string().toUpperCase().pipe(countryCode)),
  region: optional(z.string()),
  city: optional(z.string()),
  timezone: optional(z.string()),
};

/** Clients also name domains in capitals. */
const domains = z.array(z.string().trim().toLowerCase().pipe(webDomain)).max(webDomainsMax);

/** What clients of OpenAI ask of web searches: the location is in `approximate` in Chat Completions. */
export const webSearchFields = {
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  user_location: optional(
    z.looseObject({ ...location, approximate: optional(z.looseObject(location)) }),
  ),
  filters: optional(z.looseObject({ allowed_domains: optional(domains) })),
};
export const webSearchOptions = z.looseObject(webSearchFields);
type WebSearchOptions = z.infer<typeof webSearchOptions>;

const sizes = { low: 'small', medium: 'medium', high: 'large' } as const;

/** As an option of a message. Without a size, the agent chooses it for each search. */
export function toWebSearch({
  search_context_size: size,
  user_location: where,
  filters,
}: WebSearchOptions): JsonObject {
  const hosts = filters?.allowed_domains ?? [];
  const place = toLocation(where?.approximate ?? where ?? {});
  return {
    ...(size ? { size: sizes[size] } : {}),
    ...(Object.keys(place).length > 0 ? { location: place } : {}),
    ...(hosts.length > 0 ? { domains: hosts } : {}),
  };
}

function toLocation({
  country,
  region,
  city,
  timezone,
}: NonNullable<WebSearchOptions['user_location']>): JsonObject {
  const known = Object.entries({ country, region, city, timezone });
  return Object.fromEntries(known.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
