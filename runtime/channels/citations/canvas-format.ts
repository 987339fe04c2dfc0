/** The format of citations in a canvas; undefined: its text is not changed. */
export function canvasFormat(mime = 'text/markdown'): 'markdown' | 'html' | undefined {
  if (mime === 'text/html') return 'html';
  return mime === 'text/markdown' ? 'markdown' : undefined;
}
