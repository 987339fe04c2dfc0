import { Refusal } from '../base/refusal.ts';

/** As a request's headers say. */
export type Arrival = {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
};

/** Of a page that this server itself delivered, whatever stands between them and speaks TLS. */
export function isOwnPage({ host, origin }: Arrival): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

/** Refusal `forbidden`: a page from elsewhere. Programs, which say no origin, are no pages. */
export function assertOrigin(arrival: Arrival, listed: readonly string[]): void {
  const { origin } = arrival;
  if (origin === undefined || origin === '') return;
  if (listed.includes(origin) || isOwnPage(arrival)) return;
  const said = origin.slice(0, 200);
  const message = `pages of ${said} may not come in; list it in origins of gateway.yaml`;
  throw new Refusal('forbidden', message);
}
