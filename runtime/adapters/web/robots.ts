import robotsParser from 'robots-parser';
import type { Clock } from '../../base/clock.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import { type GetOptions, guardedGet } from './guarded-get.ts';
import { robotsBytesMax, robotsSitesMax, robotsTtlMs } from './limits.ts';

type Rules = { isAllowed(url: string, agent?: string): boolean | undefined };
type Site = { readonly rules: Rules; readonly untilMs: number };

/** Its types describe an ES module, but it is a CommonJS one: its export is the function. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Rules;

/** Name in robots.txt. */
const agent = 'Timeloom';

/** The rules of sites for programs, by their robots.txt (RFC 9309). */
export class Robots {
  readonly #clock: Clock;
  readonly #isAllowed: (host: string) => boolean;
  readonly #sites = new Map<string, Site>();

  constructor(clock: Clock, isAllowed: (host: string) => boolean) {
    this.#clock = clock;
    this.#isAllowed = isAllowed;
  }

  /** Refusal `robots_refused`. */
  async check(url: URL, signal: AbortSignal): Promise<void> {
    const rules = await this.#rulesOf(url, signal);
    if (rules.isAllowed(url.href, agent) === false) {
      throw new Refusal('robots_refused', `${url.host} does not allow programs to read this page`);
    }
  }

  async #rulesOf({ origin }: URL, signal: AbortSignal): Promise<Rules> {
    const known = this.#sites.get(origin);
    if (known && known.untilMs > this.#clock.monotonic()) return known.rules;
    const address = new URL('/robots.txt', origin);
    const options = { bytesMax: robotsBytesMax, isAllowed: this.#isAllowed, signal };
    const rules = parseRobots(address.href, await textOf(address, options));
    if (this.#sites.size >= robotsSitesMax) {
      for (const oldest of [...this.#sites.keys()].slice(0, 1)) this.#sites.delete(oldest);
    }
    this.#sites.set(origin, { rules, untilMs: this.#clock.monotonic() + robotsTtlMs });
    return rules;
  }
}

/** A site without the file allows everything; one whose file cannot be read allows nothing. */
async function textOf(address: URL, options: GetOptions): Promise<string> {
  const refuseAll = 'User-agent: *\nDisallow: /';
  try {
    const { status, bytes } = await guardedGet(address, options);
    if (status >= 500) return refuseAll;
    return status === 200 ? bytes.toString() : '';
  } catch (error) {
    if (!isRefusal(error) || error.code === 'address_refused') throw error;
    return error.code === 'too_large' ? '' : refuseAll;
  }
}
