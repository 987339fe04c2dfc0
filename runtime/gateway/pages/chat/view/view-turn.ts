/// <reference lib="dom" />
import { h, KeyedList, type View } from '../dom/elements.ts';
import type { Item, TurnEnd, TurnTranscript } from '../transcript/transcript-types.ts';
import type { ViewContext } from './view-context.ts';
import { viewItem } from './view-items.ts';

export type TurnViewData = TurnTranscript & { readonly key: string; readonly isLast: boolean };

/** One turn: its items, then sources, suggestions, and how it ended. */
export function viewTurn(stage: ViewContext): View<TurnViewData> {
  const { ask } = stage;
  const list = h('div', { class: 'items' });
  const sources = h('ol', { class: 'sources' });
  const suggestions = h('div', { class: 'suggestions' });
  const end = h('div', { class: 'end' });
  const element = h('article', { class: 'turn' }, list, sources, suggestions, end);
  const items = new KeyedList<Item>(list, (item) => viewItem(item, stage));
  return {
    element,
    update: (turn) => {
      element.dataset['turn'] = turn.id;
      items.show(worthShowing(turn.items));
      sources.hidden = turn.sources.length === 0;
      sources.replaceChildren(...turn.sources.map(viewSource));
      suggestions.hidden = !turn.isLast || turn.end === undefined;
      suggestions.replaceChildren(...turn.suggestions.map((text) => viewSuggestion(text, ask)));
      showEnd(end, turn.end);
      const prompt = promptOf(turn);
      if (turn.isLast && turn.end?.reason === 'failed' && prompt !== '') {
        end.append(' ', h('button', { type: 'button', onclick: () => ask(prompt) }, 'Send again'));
      }
    },
  };
}

/** A rewritten canvas is shown once, at its last position, and plan calls are hidden because the plan itself is shown. */
function worthShowing(items: readonly Item[]): readonly Item[] {
  const last = new Map(
    items.flatMap((item) => (item.kind === 'canvas' ? [[item.name, item]] : [])),
  );
  return items.filter((item) => {
    if (item.kind === 'canvas') return item.name === '' || last.get(item.name) === item;
    return item.kind !== 'tool' || item.tool !== 'react.plan' || item.state === 'failed';
  });
}

/** The prompt to send again after a failed turn; empty if it had files. */
function promptOf({ items }: TurnTranscript): string {
  const said = items.find((item) => item.kind === 'said');
  return said?.kind === 'said' && said.files.length === 0 ? said.text : '';
}

function viewSource({ sid, title, url }: TurnTranscript['sources'][number]): HTMLElement {
  const isWeb = /^https?:/i.test(url);
  const name = isWeb
    ? h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, title)
    : title;
  return h('li', {}, h('span', {}, `${sid}`), name);
}

function viewSuggestion(text: string, ask: (text: string) => void): HTMLElement {
  return h('button', { type: 'button', onclick: () => ask(text) }, text);
}

const endTexts: Readonly<Record<string, string>> = {
  interrupted: 'Stopped.',
  exhausted: 'This turn used up its budget.',
  parked: 'Waiting for an external result.',
  handed_off: 'Handed off.',
};

function showEnd(element: HTMLElement, end: TurnEnd | undefined): void {
  element.hidden = end === undefined;
  if (!end) return;
  const cost = end.costUsd > 0 ? ` · $${end.costUsd.toFixed(end.costUsd < 0.01 ? 4 : 2)}` : '';
  const spent = end.tokens > 0 ? `${end.tokens.toLocaleString('en')} tokens${cost}` : '';
  const failed = end.reason === 'failed';
  const said = failed ? `This turn failed: ${end.message}` : (endTexts[end.reason] ?? '');
  const degraded = end.degraded ? 'The answer did not follow the required format.' : '';
  element.classList.toggle('bad', failed);
  element.textContent = [said, degraded, spent].filter((part) => part !== '').join(' ');
}
