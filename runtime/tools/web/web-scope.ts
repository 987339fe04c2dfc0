import { Refusal } from '../../base/refusal.ts';
import type { WebScope } from '../ports/web.ts';

type Domains = WebScope['domains'];

/** Whether the address is at one of the domains or below it. Without domains, all are. */
export function isWithin(url: string, domains: Domains): boolean {
  if (domains === undefined) return true;
  const { hostname } = new URL(url);
  return domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

/** Refusal `address_refused` for a page outside of the domains. */
export function assertWithin(url: string, domains: Domains): void {
  if (isWithin(url, domains)) return;
  const message = `this turn reads only pages of ${domains?.join(', ')}`;
  throw new Refusal('address_refused', message);
}

/** Whether a tool of this name searches the web: clients of OpenAI see its calls as searches. */
export function isSearchTool(id: string): boolean {
  return /(^|[._])(web_)?search$/.test(id);
}

/** Whether the runtime's own web tools have this name. */
export function isWebTool(id: string): boolean {
  return id.startsWith('web_tools.');
}
