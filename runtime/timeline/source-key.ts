const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid)$/;

/**
 * A key under which different spellings of one web address are the same source. It ignores the case of scheme and host,
 * default ports, the order of parameters, tracking parameters, a trailing slash, and the fragment, unless the fragment
 * names a page. All other text is compared as it is. The key of a key is the key itself.
 */
export function sourceKey(url: string): string {
  const plain = url.trim();
  if (!/^https?:/i.test(plain) || !URL.canParse(plain)) return plain;
  const parsed = new URL(plain);
  if (!/^#[!/]/.test(parsed.hash)) parsed.hash = '';
  for (const name of [...parsed.searchParams.keys()]) {
    if (tracking.test(name)) parsed.searchParams.delete(name);
  }
  parsed.searchParams.sort();
  parsed.pathname = parsed.pathname.replace(/\/+$/, '');
  return parsed.href;
}
