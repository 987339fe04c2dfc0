const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid)$/;

/**
 * Two spellings of one web address are one source: case of scheme and host, default ports, the order of parameters,
 * those that only track, a slash at the end and a fragment make no difference, except a fragment that names a page.
 * Anything else is compared as it is. A key is its own key.
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
