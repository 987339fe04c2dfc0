import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { linesShown, rowsOfLineShown } from './limits.ts';
import { lastBlockLine, markdownLines, type Page } from './markdown-lines.ts';

/** The text of one stream on its way to a terminal. Lines are separated by line breaks, without indent. */
export type Flow = {
  /** The text that can be shown now. */
  add(text: string): string;
  /** The rest, when the stream has ended. */
  end(): string;
};

/** As it comes. */
export function plainFlow(): Flow {
  return { add: (text) => text, end: () => '' };
}

/** Breaks lines between words. The last word is shown when it is complete. */
export function wordFlow(width: number): Flow {
  let [rest, column] = ['', 0];
  const put = (word: string): string => {
    const length = stringWidth(word.trimStart());
    if (word.startsWith('\n')) column = 0;
    const space = column === 0 ? '' : ' ';
    const breaks = column > 0 && column + 1 + length > width;
    column = breaks ? length : column + space.length + length;
    return word.startsWith('\n') ? word : `${breaks ? '\n' : space}${word}`;
  };
  const show = (text: string) => (text.match(/\n[^\S\n]*|\S+/g) ?? []).map(put).join('');
  return {
    add(text) {
      const all = `${rest}${text}`;
      const end = all.search(/\S*$/);
      rest = all.slice(end);
      return show(all.slice(0, end));
    },
    end: () => show(rest),
  };
}

/** The first lines; of the others only the number. */
export function foldedFlow(width: number): Flow {
  let [count, line, shown, last] = [1, '', '', ''];
  const put = (part: string): string => {
    last += part;
    if (count > linesShown) return '';
    line = `${line}${part}`.slice(0, width * rowsOfLineShown);
    const rows = wrapAnsi(line, width, { hard: true, trim: false, wordWrap: false });
    const more = rows.slice(shown.length);
    shown = rows;
    return more;
  };
  const next = (): string => {
    count += 1;
    [line, shown, last] = ['', '', ''];
    return count <= linesShown ? '\n' : '';
  };
  return {
    add(text) {
      const [first = '', ...parts] = text.split('\n');
      return parts.reduce((all, part) => `${all}${next()}${put(part)}`, put(first));
    },
    end() {
      const hidden = count - linesShown - (last === '' ? 1 : 0);
      return hidden <= 0 ? '' : `\n… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`;
    },
  };
}

/** Markdown, block by block, each when it is complete; the addresses of its links at the end. */
export function markdownFlow(page: Page): Flow {
  let [rest, begun] = ['', false];
  const known = page.links.size;
  const show = (source: string): string => {
    const lines = markdownLines(source, page);
    if (lines.length === 0) return '';
    const before = begun ? '\n\n' : '';
    begun = true;
    return `${before}${lines.join('\n')}`;
  };
  return {
    add(text) {
      rest += text;
      if (!text.includes('\n')) return '';
      // The last block may go on, and an incomplete line may begin anything.
      const lines = rest.slice(0, rest.lastIndexOf('\n') + 1);
      const end = lines
        .split('\n', lastBlockLine(lines))
        .reduce((at, line) => at + line.length + 1, 0);
      if (end === 0) return '';
      const done = rest.slice(0, end);
      rest = rest.slice(end);
      return show(done);
    },
    end() {
      const text = show(rest);
      const list = [...page.links]
        .slice(known)
        .map(([href, number]) => `\n[${number}] ${named(href, page)}`);
      return `${text}${list.length === 0 ? '' : '\n'}${list.join('')}`;
    },
  };
}

function named(href: string, { sources }: Page): string {
  const title = sources.get(href) ?? '';
  return title === '' ? href : `${title}: ${href}`;
}
