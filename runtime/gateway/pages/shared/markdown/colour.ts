/// <reference lib="dom" />

import { languages } from './languages.ts';

/** Longer code stays without colours. */
const colouredCharsMax = 60_000;

/** Colours a code element when the parsers are loaded. Code in an unknown language stays as it is. */
export async function colour(element: Element, name: string): Promise<void> {
  const language = isLanguage(name) ? languages[name] : undefined;
  const before = element.textContent;
  if (language === undefined || before.length > colouredCharsMax) return;
  try {
    const { colourCode } = await import('./code-colours.ts');
    if (element.textContent === before) element.replaceChildren(...colourCode(before, language));
  } catch {
    // The parsers could not be loaded: the code stays without colours.
  }
}

function isLanguage(name: string): name is keyof typeof languages {
  return Object.hasOwn(languages, name);
}
