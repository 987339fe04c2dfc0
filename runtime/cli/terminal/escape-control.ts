const [controlPictures, del, delPicture] = [0x2400, 0x7f, 0x2421];

/**
 * Replaces control characters by visible symbols. Output of models, programs and tools could otherwise move the
 * cursor, write the clipboard or type into the terminal. Line breaks and tabs stay.
 */
export function escapeControl(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, picture);
}

function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < del) return String.fromCharCode(controlPictures + code);
  return code === del ? String.fromCharCode(delPicture) : `<${code.toString(16)}>`;
}
