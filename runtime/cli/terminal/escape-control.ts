const [controlPictures, del, delPicture] = [0x2400, 0x7f, 0x2421];

/**
 * Text that does nothing to a terminal: what models, programs and tools say may move its cursor, write its clipboard or
 * type into it. Line ends and tabs stay, of other control characters one sees the picture.
 */
export function escapeControl(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, picture);
}

function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < del) return String.fromCharCode(controlPictures + code);
  return code === del ? String.fromCharCode(delPicture) : `<${code.toString(16)}>`;
}
