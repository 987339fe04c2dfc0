import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/**
 * Formulas: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` in lines of their own. A dollar sign before a digit or a space
 * is an amount of money.
 */
export function addMathRules(parser: MarkdownIt): void {
  parser.inline.ruler.before('escape', 'math', inlineFormula);
  const endsOthers = ['paragraph', 'reference', 'blockquote', 'list'];
  parser.block.ruler.before('fence', 'math_block', blockFormula, { alt: endsOthers });
}

function inlineFormula(state: StateInline, silent: boolean): boolean {
  const rest = state.src.slice(state.pos, state.posMax);
  const found = /^\$([^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)/.exec(rest) ?? /^\\\((.+?)\\\)/.exec(rest);
  if (!found || isAmount(found[1] ?? '')) return false;
  if (!silent) {
    const token = state.push('math', 'span', 0);
    token.content = found[1] ?? '';
    token.markup = rest.startsWith('$') ? '$' : '';
  }
  state.pos += found[0].length;
  return true;
}

/** `$5 and $` is not a formula. */
function isAmount(text: string): boolean {
  return /^\d[\d,.]*(\s|$)/.test(text) && !/[=^_\\+*/<>]/.test(text);
}

const closings: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' };

function blockFormula(
  ...[state, from, to, silent]: [StateBlock, number, number, boolean]
): boolean {
  const first = lineOf(state, from);
  const opening = first.slice(0, 2);
  const closing = closings[opening];
  if (closing === undefined || isCode(state, from)) return false;
  const lines: string[] = [];
  for (let line = from; line < to; line += 1) {
    const text = line === from ? first.slice(2) : lineOf(state, line);
    const isEnd = text.trimEnd().endsWith(closing);
    lines.push(isEnd ? text.trimEnd().slice(0, -closing.length) : text);
    if (!isEnd) continue;
    if (!silent) push(state, { from, to: line + 1, text: lines.join('\n').trim() });
    return true;
  }
  return false;
}

function push(state: StateBlock, { from, to, text }: { from: number; to: number; text: string }) {
  state.line = to;
  const token = state.push('math', 'div', 0);
  token.block = true;
  token.content = text;
  token.markup = '$$';
  token.map = [from, to];
}

function isCode(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

function lineOf(state: StateBlock, line: number): string {
  const begin = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return state.src.slice(begin, state.eMarks[line]);
}
