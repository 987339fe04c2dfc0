import { createPages } from '../../adapters/web/pages.ts';
import { createSearch } from '../../adapters/web/search-engines.ts';
import type { Clock } from '../../base/clock.ts';
import type { Web } from '../../tools/web/web-tools.ts';
import type { Config } from '../config/config.ts';

/** No search engine, and only public pages. */
export const noWeb: Pick<Config, 'web'> = { web: { search: undefined, privateHosts: [] } };

/** What `web_tools.*` use, as configured. */
export function openWeb({ web }: Pick<Config, 'web'>, clock: Clock): Web {
  const { search, privateHosts } = web;
  return {
    pages: createPages({ clock, privateHosts }),
    search: search && createSearch(search),
  };
}
