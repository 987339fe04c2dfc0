/** How citations stand in a canvas; undefined: its text stays as it is. */
export function canvasFormat(mime = 'text/markdown'): 'markdown' | 'html' | undefined {
  if (mime === 'text/html') return 'html';
  return mime === 'text/markdown' ? 'markdown' : undefined;
}
