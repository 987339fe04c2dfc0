/**
 * Signs a user in on the pages of the identity provider, as a browser would, without running one. Returns what the
 * provider sends the user back with: the query of the redirect to `back`.
 */
export async function signInWithoutBrowser(
  start: URL,
  { user, back }: { readonly user: string; readonly back: string },
): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let next: { readonly url: URL; readonly form?: URLSearchParams } = { url: start };
  for (let step = 0; step < stepsMax; step += 1) {
    const response = await fetch(next.url, {
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      redirect: 'manual',
      ...(next.form && { method: 'POST', body: next.form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) next = formIn(await response.text(), { from: next.url, user });
    else next = { url: new URL(location, next.url) };
    if (next.url.href.startsWith(back)) return next.url.searchParams;
  }
  throw new Error(`the sign-in did not end after ${stepsMax} steps, at ${next.url.href}`);
}

const stepsMax = 12;

/** The only form of the page, filled in. */
function formIn(page: string, { from, user }: { readonly from: URL; readonly user: string }) {
  const action = /<form [^>]*action="([^"]+)"/.exec(page)?.[1];
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
  if (action === undefined || prompt === undefined) throw new Error(`no form in ${page}`);
  const form = new URLSearchParams({ prompt, login: user, password: 'any' });
  return { url: new URL(action, from), form };
}
