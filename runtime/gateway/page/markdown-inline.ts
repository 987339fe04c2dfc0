/// <reference lib="dom" />
import { h } from './dom.ts';

type Rule = { readonly pattern: RegExp; toNode(match: RegExpExecArray): Node };

/** Tried at each place in this order; the earliest match wins. */
const rules: readonly Rule[] = [
  { pattern: /\\([\\`*_[\]<>|#-])/, toNode: ([, char = '']) => document.createTextNode(char) },
  { pattern: /(`+)(.+?)\1(?!`)/, toNode: ([, , code = '']) => h('code', {}, code.trim()) },
  { pattern: /!?\[((?:\\.|[^[\]\\])*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)/, toNode: toLink },
  { pattern: /<(https?:\/\/[^\s<>]+)>/, toNode: ([, url = '']) => link(url, [url]) },
  {
    pattern: /(?<![\w"'(=])https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"]/,
    toNode: ([url]) => link(url, [url]),
  },
  { pattern: /\*\*(?=\S)(.+?\S|\S)\*\*/, toNode: ([, inner = '']) => wrap('strong', inner) },
  {
    pattern: /(?<!\w)__(?=\S)(.+?\S|\S)__(?!\w)/,
    toNode: ([, inner = '']) => wrap('strong', inner),
  },
  { pattern: /\*(?=\S)([^*]*[^*\s])\*/, toNode: ([, inner = '']) => wrap('em', inner) },
  { pattern: /(?<!\w)_(?=\S)([^_]*[^_\s])_(?!\w)/, toNode: ([, inner = '']) => wrap('em', inner) },
  { pattern: /~~(?=\S)(.+?)~~/, toNode: ([, inner = '']) => wrap('s', inner) },
];

/** Code, links, emphasis; everything else is text. */
export function renderInline(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let rest = text;
  for (;;) {
    const found = earliest(rest);
    if (!found) break;
    fragment.append(rest.slice(0, found.match.index), found.rule.toNode(found.match));
    rest = rest.slice(found.match.index + found.match[0].length);
  }
  fragment.append(rest);
  return fragment;
}

function earliest(text: string): { rule: Rule; match: RegExpExecArray } | undefined {
  let best: { rule: Rule; match: RegExpExecArray } | undefined;
  for (const rule of rules) {
    const match = rule.pattern.exec(text);
    if (match && (best === undefined || match.index < best.match.index)) best = { rule, match };
  }
  return best;
}

function wrap(name: 'strong' | 'em' | 's', inner: string): HTMLElement {
  const element = h(name);
  element.append(renderInline(inner));
  return element;
}

function toLink([whole, inner = '', url = '']: RegExpExecArray): Node {
  return /^(https?:|mailto:|#)/i.test(url)
    ? link(url, [renderInline(inner)])
    : document.createTextNode(whole);
}

function link(url: string, children: readonly (Node | string)[]): HTMLElement {
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}
