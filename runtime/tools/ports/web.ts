/** What the message of a turn asks of web searches. */
export type WebScope = {
  readonly size?: 'small' | 'medium' | 'large';
  readonly location?: WebLocation;
  /** Only pages of these hosts and of their subdomains. */
  readonly domains?: readonly string[];
};

/** Roughly where the user is. `country`: ISO 3166, two letters. `timezone`: IANA. */
export type WebLocation = {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly timezone?: string;
};

/** `location` and `domains` are passed on as far as the engine knows them. */
export type WebQuery = Pick<WebScope, 'location' | 'domains'> & {
  readonly text: string;
  readonly limit: number;
  readonly days?: number | undefined;
};

type Options = { readonly signal: AbortSignal };

export type SearchHit = {
  readonly title: string;
  readonly url: string;
  /** What the search engine shows of the page. */
  readonly snippet: string;
  /** ISO date, if known. */
  readonly published?: string;
  readonly site?: string;
  /** From 0 to 1, in the judgement of the search engine. */
  readonly relevance?: number;
  readonly favicon?: string;
};

export type Page = {
  /** The address after redirects. */
  readonly url: string;
  readonly title: string;
  readonly published?: string;
  readonly author?: string;
  readonly site?: string;
  readonly favicon?: string;
} & (
  | { readonly kind: 'text'; readonly text: string }
  /** A file that is not text, such as a PDF. */
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly mime: string;
      readonly bytes: Uint8Array;
      /** The text of a PDF, if it has any. */
      readonly text?: string;
    }
);

/** A search engine. Refusal `search_failed`: it did not answer, or refused. */
export interface WebSearch {
  /** At most `limit` hits, best first. */
  search(query: WebQuery, options: Options): Promise<readonly SearchHit[]>;
}

/** Reads public pages. */
export interface WebPages {
  /**
   * The readable text of a page as Markdown. Refusals: `address_refused` for private addresses and other schemes than http
   * and https, `robots_refused`, `too_large`, `page_failed`.
   */
  read(url: string, options: Options): Promise<Page>;
}
