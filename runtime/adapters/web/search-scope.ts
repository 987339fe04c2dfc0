import type { WebLocation, WebQuery } from '../../tools/ports/web.ts';

/** Domains in the text of a query: engines limit its length. The tool leaves out hits of any other domain. */
const sitesMax = 8;

/** The query with the operators of its domains. */
export function withSites({ text, domains = [] }: Pick<WebQuery, 'text' | 'domains'>): string {
  if (domains.length === 0 || domains.length > sitesMax) return text;
  return `${text} (${domains.map((domain) => `site:${domain}`).join(' OR ')})`;
}

/** https://api-dashboard.search.brave.com/documentation/services/web-search: the headers of a location. */
export function locationHeaders({ country, region, city, timezone }: WebLocation) {
  const known = Object.entries({
    'x-loc-country': country,
    'x-loc-state-name': region,
    'x-loc-city': city,
    'x-loc-timezone': timezone,
  });
  return Object.fromEntries(
    known.flatMap(([name, value]) => (isHeaderText(value) ? [[name, value]] : [])),
  );
}

function isHeaderText(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]+$/.test(value);
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The English name of a country in lower case. */
export function countryName(code: string | undefined): string | undefined {
  return code === undefined ? undefined : countries.of(code)?.toLowerCase();
}
