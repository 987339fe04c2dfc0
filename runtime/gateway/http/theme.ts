import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { chosenThemes, themeCookie } from '../ports/theme.ts';

/** What `<meta name="color-scheme">` says. The page sets the cookie. */
export function themeOf(context: Context): string {
  const theme = getCookie(context, themeCookie);
  return chosenThemes.find((each) => each === theme) ?? 'light dark';
}
