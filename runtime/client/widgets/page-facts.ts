type PageFacts = {
  readonly url: string | undefined;
  readonly tenant: string;
  readonly project: string;
  /** The conversation that a widget was opened for. */
  readonly conversation?: string;
  readonly canvas?: string;
};

/** Reads server, tenant and project from the page's address, if there is a page. A widget has an address of its bundle. */
export function pageFacts(): PageFacts {
  const href = hrefOf(Reflect.get(globalThis, 'location'));
  if (href === undefined) return { url: undefined, tenant: 'dev', project: 'dev' };
  const { origin, pathname, searchParams } = new URL(href);
  const home = scopeOf(Reflect.get(globalThis, 'document'));
  const [, tenant = home.tenant, project = home.project] =
    /^\/api\/bundles\/([^/]+)\/([^/]+)\//.exec(pathname) ?? [];
  const conversation = searchParams.get('conversation');
  const canvas = searchParams.get('canvas');
  return {
    url: origin,
    tenant,
    project,
    ...(conversation !== null && { conversation }),
    ...(canvas !== null && { canvas }),
  };
}

/** The tenant and project that the server wrote into its own page. */
function scopeOf(page: unknown): { readonly tenant: string; readonly project: string } {
  const root = property(page, 'documentElement');
  const named = (key: string) => {
    const value = property(property(root, 'dataset'), key);
    return typeof value === 'string' && value !== '' ? value : 'dev';
  };
  return { tenant: named('tenant'), project: named('project') };
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function hrefOf(location: unknown): string | undefined {
  if (typeof location !== 'object' || location === null || !('href' in location)) return undefined;
  return typeof location.href === 'string' ? location.href : undefined;
}
