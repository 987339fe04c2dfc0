/// <reference lib="dom" />
import { chosenThemes, themeCookie } from '../../../ports/theme.ts';

/** The schemes of a page: what `<meta name="color-scheme">` says. */
export const themes = { 'light dark': 'As the system', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof themes;

const yearSeconds = 31_536_000;

function scheme(): HTMLMetaElement | null {
  return document.querySelector('meta[name=color-scheme]');
}

export function currentTheme(): Theme {
  const content = scheme()?.content;
  return chosenThemes.find((each) => each === content) ?? 'light dark';
}

/**
 * The server sends later pages with this theme, so that they are never shown in another one first. Not with the cookie store
 * of browsers, which requires https.
 */
export function setTheme(theme: Theme): void {
  scheme()?.setAttribute('content', theme);
  const [value, age] = theme === 'light dark' ? ['', 0] : [theme, yearSeconds];
  document.cookie = `${themeCookie}=${value}; Path=/; Max-Age=${age}; SameSite=Strict`;
}
