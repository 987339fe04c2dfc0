const randomChars = 20;
/** Bytes from here on are skipped, because they would favour some characters. */
const fairBytes = 252;

/** A new id, `<prefix>_` and 20 random characters of [0-9a-z]. */
export function mintId(prefix: 'conv' | 'msg'): string {
  let text = '';
  while (text.length < randomChars) {
    for (const byte of crypto.getRandomValues(new Uint8Array(randomChars))) {
      if (byte < fairBytes && text.length < randomChars) text += (byte % 36).toString(36);
    }
  }
  return `${prefix}_${text}`;
}
