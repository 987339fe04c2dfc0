const fence = /^\s*(`{3,8}|~{3,8})([^`~].*)?$/;
/** For the line that closes a code block. */
const fenceRoom = 9;

type Fence = { readonly mark: string; readonly line: string };

/**
 * Divides Markdown into parts of at most `charsMax` characters: between paragraphs if possible, else between lines, else
 * anywhere. A code block that is divided is closed at the end of one part and opened again in the next.
 */
export function splitText(text: string, charsMax: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let open: Fence | undefined;
  const flush = () => {
    if (part.trim() !== '') parts.push(open ? `${part}\n${open.mark}` : part);
    part = open ? open.line : '';
  };
  for (const line of text.split('\n').flatMap((each) => slices(each, Math.floor(charsMax / 3)))) {
    const joined = part === '' ? line : `${part}\n${line}`;
    if (joined.length > charsMax - fenceRoom) {
      flush();
      part = part === '' ? line : `${part}\n${line}`;
    } else {
      part = joined;
    }
    open = openAfter(line, open);
  }
  if (part.trim() !== '') parts.push(part);
  return parts;
}

function openAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, mark, info = ''] = fence.exec(line) ?? [];
  if (mark === undefined) return open;
  if (open === undefined) return { mark, line };
  const closes = mark.startsWith(open.mark) && info.trim() === '';
  return closes ? undefined : open;
}

/** Cuts a line that is too long, not within a surrogate pair. */
function slices(line: string, charsMax: number): readonly string[] {
  if (line.length <= charsMax) return [line];
  const cut: string[] = [];
  for (let at = 0; at < line.length; ) {
    const end = at + charsMax;
    const isPair = /[\ud800-\udbff]/.test(line[end - 1] ?? '') && end < line.length;
    cut.push(line.slice(at, isPair ? end - 1 : end));
    at = isPair ? end - 1 : end;
  }
  return cut;
}
