/// <reference lib="dom" />
import type { FileRef } from '../../../../client/index.ts';
import { h, type View } from '../dom/elements.ts';
import type { Item } from '../transcript/transcript-types.ts';
import type { ViewContext } from './view-context.ts';

/** Characters of a preview that fit on a card. */
const shownChars = 600;

type FilesItem = Item & { readonly kind: 'files' };

export function viewFiles(stage: ViewContext): View<FilesItem> {
  const element = h('div', { class: 'made' });
  const show = (file: FileRef) => viewFile(file, stage);
  return { element, update: ({ items }) => element.replaceChildren(...items.map(show)) };
}

function viewFile(
  { path, filename, mime, size, preview = '' }: FileRef,
  { conversation, files }: ViewContext,
): HTMLElement {
  const kind = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1] ?? 'file';
  const label = h(
    'span',
    { class: 'label' },
    filename,
    h('small', {}, `${formatBytes(size)} · download`),
  );
  const row = h('span', { class: 'row' }, h('span', { class: 'kind' }, kind), label);
  const address = files.addressOf(path, conversation);
  const card = h('a', { class: 'file', href: address, download: filename }, row);
  if (mime.startsWith('image/')) void addPicture(card, files.pictureOf(path));
  else if (preview !== '') card.prepend(h('pre', {}, preview.slice(0, shownChars)));
  return card;
}

async function addPicture(card: HTMLElement, picture: Promise<string>): Promise<void> {
  try {
    card.prepend(h('img', { src: await picture, alt: '' }));
  } catch {
    // Without its picture the card still names the file and links to it.
    card.classList.add('plain');
  }
}

export function formatBytes(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  return size < 1_000_000
    ? `${Math.round(size / 1_000)} kB`
    : `${(size / 1_000_000).toFixed(1)} MB`;
}
