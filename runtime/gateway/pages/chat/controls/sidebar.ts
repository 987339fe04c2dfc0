/// <reference lib="dom" />
import type { Client } from '../../../../client/index.ts';
import { byId, h } from '../dom/elements.ts';

const conversationsShown = 60;
const minuteMs = 60_000;

/** The user's conversations, newest first. */
export class Sidebar {
  readonly #client: Client;
  readonly #list = byId('list', HTMLElement);
  #current = '';
  #titles = new Map<string, string>();

  constructor(client: Client, startNew: () => void) {
    this.#client = client;
    byId('new', HTMLButtonElement).addEventListener('click', startNew);
    const menu = byId('menu', HTMLButtonElement);
    const toggle = (isOpen?: boolean) => {
      const open = document.body.classList.toggle('menu', isOpen);
      menu.setAttribute('aria-expanded', String(open));
    };
    menu.addEventListener('click', () => toggle());
    byId('scroll', HTMLElement).addEventListener('click', () => toggle(false));
    byId('sidebar', HTMLElement).addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.closest('a, button')) toggle(false);
    });
  }

  titleOf(conversation: string): string {
    return this.#titles.get(conversation) ?? '';
  }

  async show(current: string): Promise<void> {
    this.#current = current;
    const found = await this.#client.conversations({ limit: conversationsShown });
    this.#titles = new Map(found.map(({ id, title }) => [id, title]));
    this.#list.replaceChildren(...found.map((each) => this.#row(each)));
  }

  #row({
    id,
    title,
    lastActivityAt,
  }: {
    id: string;
    title: string;
    lastActivityAt: string;
  }): HTMLElement {
    const name = h('span', { class: 'title' }, title || 'New conversation');
    const time = h(
      'time',
      { datetime: lastActivityAt },
      ago(Date.now() - Date.parse(lastActivityAt)),
    );
    const row = h('a', { href: `#${id}` }, name, time);
    if (id === this.#current) row.setAttribute('aria-current', 'page');
    return row;
  }
}

function ago(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  const days = Math.round(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
