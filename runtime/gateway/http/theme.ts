import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';

/** What `<meta name="color-scheme">` says. The page sets the cookie. */
export function themeOf(context: Context): string {
  const theme = getCookie(context, 'timeloom_theme') ?? '';
  return ['light', 'dark'].includes(theme) ? theme : 'light dark';
}
