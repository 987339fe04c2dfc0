/// <reference lib="dom" />
import { type Conversation, connect, Refusal } from '../../client/index.ts';
import { Composer, type Draft } from './composer.ts';
import { byId, KeyedList } from './dom.ts';
import { Files } from './files.ts';
import { Sidebar } from './sidebar.ts';
import { askForToken } from './sign-in.ts';
import { emptyStory, isWorking, tell, withUnsent } from './story.ts';
import type { Item, Story } from './story-types.ts';
import { viewItem } from './view-items.ts';
import { type ShownTurn, viewTurn } from './view-turn.ts';
import { Widgets } from './widgets.ts';

const client = connect();
const widgets = new Widgets();
const files = new Files(client);
const scroll = byId('scroll', HTMLElement);
const sidebar = new Sidebar(client, () => open(undefined));
const composer = new Composer({
  send: (draft) => say(isWorking(story) ? 'followup' : 'prompt', draft),
  steer: (draft) => say('steer', draft),
  stop: () => say('steer', { text: '', files: [] }),
});
/** How far from its end a scrolled conversation still follows what is added, in pixels. */
const followPx = 120;

let conversation: Conversation;
let story: Story = emptyStory;
let leave = new AbortController();
let turns: KeyedList<ShownTurn>;
let unsent: KeyedList<Item>;
let isDrawing = false;
let isFollowing = true;
let lastTop = 0;

window.addEventListener('hashchange', () => {
  const id = location.hash.slice(1);
  if (id !== conversation.id) open(id === '' ? undefined : id);
});
// Whoever reads at the end stays at the end, whatever grows; whoever has scrolled up is left alone.
new ResizeObserver(() => {
  if (isFollowing) scroll.scrollTo({ top: scroll.scrollHeight });
}).observe(byId('story', HTMLElement));
scroll.addEventListener('scroll', () => {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < followPx;
  // Only going up is a wish to stay: what grows below moves nobody.
  if (isAtEnd || scroll.scrollTop < lastTop) isFollowing = isAtEnd;
  lastTop = scroll.scrollTop;
  byId('bar', HTMLElement).classList.toggle('scrolled', scroll.scrollTop > 4);
});
open(location.hash.slice(1) || undefined);

/** Shows a conversation, or an empty page for a new one. */
function open(id: string | undefined): void {
  leave.abort();
  leave = new AbortController();
  story = emptyStory;
  isFollowing = true;
  conversation = client.conversation(id);
  if (id === undefined && location.hash !== '') history.pushState(null, '', location.pathname);
  const decide = (request: string, allow: boolean) => conversation.decide(request, { allow });
  const stage = { conversation: conversation.id, files, widgets, decide };
  for (const name of ['story', 'unsent']) byId(name, HTMLElement).replaceChildren();
  const ask = (text: string) => say('prompt', { text, files: [] });
  turns = new KeyedList(byId('story', HTMLElement), () => viewTurn(stage, ask));
  unsent = new KeyedList(byId('unsent', HTMLElement), (item) => viewItem(item, stage));
  void follow(conversation, leave.signal);
  sidebar.show(conversation.id).then(draw, report);
  draw();
  composer.focus();
}

async function follow(shown: Conversation, signal: AbortSignal): Promise<void> {
  const off = shown.onChange(draw);
  try {
    for await (const event of shown.events({ signal })) {
      story = tell(story, event);
      if (event.type === 'chat.start') await widgets.learn(story.turns.at(-1)?.bundle ?? '');
      if (event.type === 'conv.status') sidebar.show(shown.id).then(draw, report);
      draw();
    }
  } catch (error) {
    if (!signal.aborted) report(error);
  } finally {
    off();
  }
}

async function submit(
  kind: 'prompt' | 'followup' | 'steer',
  draft: Draft,
  messageId: string,
): Promise<void> {
  const options = { messageId, attachments: draft.files };
  if (kind === 'prompt') await conversation.send(draft.text, options);
  else if (kind === 'followup') await conversation.followup(draft.text, options);
  else await conversation.steer(draft.text, options);
}

/** The message is on the page at once; it settles where its turn tells it, or says why it was refused. */
function say(kind: 'prompt' | 'followup' | 'steer', draft: Draft): void {
  const message = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
  const sent = draft.files.map(({ name }) => ({ filename: name }));
  const item = {
    kind: 'said',
    key: message,
    event: kind,
    message,
    text: draft.text,
    files: sent,
  } as const;
  story = withUnsent(story, { ...item, state: 'sending' });
  if (location.hash === '') history.pushState(null, '', `#${conversation.id}`);
  isFollowing = true;
  draw();
  submit(kind, draft, message).catch((error: unknown) => {
    const problem = error instanceof Refusal ? error.message : 'It was not sent.';
    story = withUnsent(story, { ...item, state: 'refused', problem });
    draw();
  });
}

/** Once a frame, however much has come. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    const last = story.turns.at(-1);
    turns.show(story.turns.map(shownTurn));
    unsent.show(story.unsent);
    byId('welcome', HTMLElement).hidden = story.turns.length + story.unsent.length > 0;
    const working = isWorking(story);
    composer.working = working;
    const state = byId('state', HTMLElement);
    state.classList.toggle('working', working);
    state.textContent = working ? doing(last?.items.at(-1)) : '';
    const title = sidebar.titleOf(conversation.id) || firstPrompt();
    byId('title', HTMLElement).textContent = title;
    document.title = title === '' ? 'Timeloom' : `${title} · Timeloom`;
    showConnection(conversation.state.status !== 'offline');
    if (isFollowing) scroll.scrollTo({ top: scroll.scrollHeight });
  });
}

function firstPrompt(): string {
  const said = story.turns[0]?.items.find((item) => item.kind === 'said');
  return said?.kind === 'said' ? said.text : '';
}

/** The same object for the same turn, so that what has not changed is not drawn. */
const shown = new WeakMap<object, ShownTurn>();
function shownTurn(turn: Story['turns'][number], at: number, all: Story['turns']): ShownTurn {
  const isLast = at === all.length - 1;
  const before = shown.get(turn);
  if (before?.isLast === isLast) return before;
  const made = { ...turn, key: turn.id, isLast };
  shown.set(turn, made);
  return made;
}

const doings: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  code: 'programming',
  canvas: 'drawing',
  answer: 'answering',
};

function doing(item: Item | undefined): string {
  if (item?.kind === 'approval' && item.outcome === '') return 'waiting for you';
  if (item?.kind === 'tool' && item.state === 'waiting') return 'waiting';
  if (item?.kind === 'tool' && item.state === 'running') {
    return item.tool.startsWith('exec_tools.') ? 'running the program' : item.tool;
  }
  return doings[item?.kind ?? ''] ?? 'working';
}

function showConnection(isConnected: boolean): void {
  const element = byId('connection', HTMLElement);
  element.classList.toggle('offline', !isConnected);
  element.textContent = isConnected ? 'connected' : 'connecting…';
}

function report(error: unknown): void {
  if (error instanceof Refusal && error.code === 'unauthenticated') askForToken(error.message);
  byId('state', HTMLElement).textContent = error instanceof Refusal ? error.message : String(error);
}
