/// <reference lib="dom" />
import { type ChatEvent, type Conversation, connect, Refusal } from '../../client/index.ts';
import { hostWidgets } from '../../client/widgets/widget-host.ts';
import { Composer } from './controls/composer.ts';
import { ConnectionLine } from './controls/connection-status.ts';
import type { Draft } from './controls/drafts.ts';
import { Earlier, keepPlace } from './controls/load-earlier.ts';
import { Notices } from './controls/notices.ts';
import { Sidebar } from './controls/sidebar.ts';
import { askForToken } from './controls/sign-in.ts';
import { byId, KeyedList } from './dom/elements.ts';
import { exists } from './server/conversation-exists.ts';
import { Files } from './server/conversation-files.ts';
import { Widgets } from './server/widgets.ts';
import { doing, summaryOf } from './transcript/status-text.ts';
import {
  emptyStory,
  isWorking,
  tell,
  withEarlier,
  withoutUnsent,
  withUnsent,
} from './transcript/transcript.ts';
import type { Item, Story } from './transcript/transcript-types.ts';
import { viewItem } from './view/view-items.ts';
import { type ShownTurn, viewTurn } from './view/view-turn.ts';

const client = connect();
const widgets = new Widgets();
const files = new Files(client);
const notices = new Notices();
const scroll = byId('scroll', HTMLElement);
const sidebar = new Sidebar(client, () => open(undefined));
const composer = new Composer({
  send: (draft) => say(isWorking(story) ? 'followup' : 'prompt', draft),
  steer: (draft) => say('steer', draft),
  stop: () => say('steer', { text: '', files: [] }),
});
const connection = new ConnectionLine(notices);
const earlier = new Earlier(loadEarlier);
/** What was loaded of conversations before the turns that they opened with. */
const past = new Map<string, readonly ChatEvent[]>();
/** Messages that were refused, to be edited. */
const refused = new Map<string, Draft>();
/** Turns that a conversation opens with, and that are loaded at once before those. */
const turnsLoaded = 20;
/** How far from its end a scrolled conversation still follows what is added, in pixels. */
const followPx = 120;

let conversation: Conversation;
let story: Story = emptyStory;
let leave = new AbortController();
let turns: KeyedList<ShownTurn>;
let unsent: KeyedList<Item>;
let isDrawing = false;
let isFollowing = true;
/** Whether there is a conversation at this address. */
let existence: 'asked' | 'there' | 'missing' = 'there';
let lastTop = 0;
/** How long nothing is drawn after a drawing. */
let restMs = 0;

hostWidgets({ client, canvas: (frame) => widgets.read(frame) });
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
byId('leave', HTMLButtonElement).addEventListener('click', () => open(undefined));
open(location.hash.slice(1) || undefined);

/** Shows a conversation, or an empty page for a new one. */
function open(id: string | undefined): void {
  leave.abort();
  leave = new AbortController();
  isFollowing = true;
  earlier.reset();
  notices.clear('earlier');
  existence = id === undefined ? 'there' : 'asked';
  conversation = client.conversation(id, { tail: turnsLoaded });
  story = withEarlier(emptyStory, past.get(conversation.id) ?? []);
  if (id === undefined && location.hash !== '') history.pushState(null, '', location.pathname);
  const decide = (request: string, allow: boolean) => conversation.decide(request, { allow });
  const ask = (text: string) => say(isWorking(story) ? 'followup' : 'prompt', { text, files: [] });
  const stage = { conversation: conversation.id, files, widgets, decide, ask, withdraw };
  for (const name of ['story', 'unsent']) byId(name, HTMLElement).replaceChildren();
  turns = new KeyedList(byId('story', HTMLElement), () => viewTurn(stage));
  unsent = new KeyedList(byId('unsent', HTMLElement), (item) => viewItem(item, stage));
  void follow(conversation, leave.signal);
  if (id !== undefined) void look(id, leave.signal);
  void list();
  composer.open(id);
  draw();
  composer.focus();
}

async function follow(shown: Conversation, signal: AbortSignal): Promise<void> {
  const off = shown.onChange(draw);
  try {
    for await (const event of shown.events({ signal })) {
      take(event);
      if (event.type === 'chat.start') await widgets.learn(story.turns.at(-1)?.bundle ?? '');
      if (event.type === 'conv.status') void list();
      draw();
    }
  } catch (error) {
    const again = { label: 'Reload', act: () => location.reload() };
    if (!signal.aborted) report('conversation', error, again);
  } finally {
    off();
  }
}

/** False: it failed, or another conversation is open by now. */
async function loadEarlier(): Promise<boolean> {
  const shown = conversation;
  try {
    const events = await shown.earlier(turnsLoaded);
    past.set(shown.id, [...events, ...(past.get(shown.id) ?? [])]);
    for (const { bundle } of withEarlier(emptyStory, events).turns) await widgets.learn(bundle);
    if (shown !== conversation) return false;
    notices.clear('earlier');
    isFollowing = false;
    story = withEarlier(story, events);
    keepPlace(scroll, paint);
    return true;
  } catch (error) {
    const again = { label: 'Try again', act: () => void earlier.load() };
    if (shown === conversation) report('earlier', error, again);
    return false;
  }
}

/** An event that the page cannot make anything of stops none of those after it. */
function take(event: ChatEvent): void {
  try {
    story = tell(story, event);
    if (event.type === 'conv.status' && event.data.state === 'deleted') existence = 'missing';
  } catch (error) {
    reportError(error);
  }
}

/** Whether there is anything at the address that was opened. */
async function look(id: string, signal: AbortSignal): Promise<void> {
  try {
    const isThere = await exists(id, signal);
    existence = isThere ? 'there' : 'missing';
  } catch {
    // The server was not reached, or another conversation is open by now. A lost connection has a notice of its own.
  }
  draw();
}

async function list(): Promise<void> {
  try {
    await sidebar.show(conversation.id);
    notices.clear('list');
    draw();
  } catch (error) {
    report('list', error, { label: 'Try again', act: () => void list() });
  }
}

/** Takes a refused message off the page, or back to where it was written. */
function withdraw(message: string, { edit }: { edit: boolean }): void {
  const draft = refused.get(message);
  refused.delete(message);
  story = withoutUnsent(story, message);
  if (edit && draft) composer.restore(draft);
  draw();
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
  composer.named(conversation.id);
  if (location.hash === '') history.pushState(null, '', `#${conversation.id}`);
  isFollowing = true;
  draw();
  submit(kind, draft, message).catch((error: unknown) => {
    const problem = error instanceof Refusal ? error.message : 'The message was not sent.';
    refused.set(message, draft);
    story = withUnsent(story, { ...item, state: 'refused', problem });
    draw();
  });
}

/** Once a frame, however much has come, and never more than a third of the time. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(() => requestAnimationFrame(paint), restMs);
}

function paint(): void {
  const begun = performance.now();
  isDrawing = false;
  turns.show(story.turns.map(shownTurn));
  unsent.show(story.unsent);
  const isEmpty = story.turns.length + story.unsent.length === 0;
  const isMissing = existence === 'missing';
  byId('welcome', HTMLElement).hidden = existence !== 'there' || !isEmpty;
  byId('missing', HTMLElement).hidden = !isMissing;
  byId('story', HTMLElement).hidden = isMissing;
  byId('composer', HTMLElement).hidden = isMissing;
  earlier.show(conversation.hasEarlier && !isMissing);
  showState();
  const title = sidebar.titleOf(conversation.id) || firstPrompt();
  byId('title', HTMLElement).textContent = title;
  document.title = title === '' ? 'Timeloom' : `${title} · Timeloom`;
  connection.show(conversation.state.status !== 'offline');
  if (isFollowing) scroll.scrollTo({ top: scroll.scrollHeight });
  restMs = 2 * (performance.now() - begun);
}

function showState(): void {
  const working = isWorking(story);
  composer.working = working;
  const state = byId('state', HTMLElement);
  state.classList.toggle('working', working);
  state.textContent = working ? doing(story.turns.at(-1)?.items.at(-1)) : '';
  const summary = byId('summary', HTMLElement);
  const said = summaryOf(story);
  if (summary.textContent !== said) summary.textContent = said;
}

function firstPrompt(): string {
  if (conversation.hasEarlier) return '';
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

const failures = {
  list: 'The list of conversations could not be loaded',
  conversation: 'The conversation could not be loaded',
  earlier: 'Earlier messages could not be loaded',
};

function report(
  kind: keyof typeof failures,
  error: unknown,
  action: { readonly label: string; act(): void },
): void {
  if (error instanceof Refusal && error.code === 'unauthenticated') askForToken(error.message);
  else {
    const because = error instanceof Refusal ? error.message : 'the server cannot be reached';
    notices.show(kind, `${failures[kind]}: ${because.replace(/\.$/, '')}.`, action);
  }
}
