/// <reference lib="dom" />
import type { Parser } from '@lezer/common';
import { parser as css } from '@lezer/css';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as html } from '@lezer/html';
import { parser as javascript } from '@lezer/javascript';
import { parser as json } from '@lezer/json';
import { parser as python } from '@lezer/python';
import { h } from './elements.ts';
import type { Language } from './languages.ts';

const parsers: Readonly<Record<Language, Parser>> = {
  python,
  javascript,
  jsx: javascript.configure({ dialect: 'jsx' }),
  typescript: javascript.configure({ dialect: 'ts' }),
  tsx: javascript.configure({ dialect: 'ts jsx' }),
  json,
  html,
  css,
};

/** The code as nodes whose classes, such as `tok-keyword`, have colours in the style sheet. */
export function colourCode(code: string, language: Language): readonly (Node | string)[] {
  const nodes: (Node | string)[] = [];
  const add = (text: string, classes: string) =>
    nodes.push(classes === '' ? text : h('span', { class: classes }, text));
  highlightCode(code, parsers[language].parse(code), classHighlighter, add, () => nodes.push('\n'));
  return nodes;
}
