/// <reference lib="dom" />
import { type ChatEvent, type Conversation, connect, Refusal } from '../../../client/index.ts';
import { hostWidgets } from '../../../client/widgets/widget-host.ts';
import { Composer } from './controls/composer.ts';
import { ConnectionStatus } from './controls/connection-status.ts';
import type { Draft } from './controls/drafts.ts';
import { EarlierLoader, keepScrollPosition } from './controls/load-earlier.ts';
import { Notices } from './controls/notices.ts';
import { Sidebar } from './controls/sidebar.ts';
import { askForToken } from './controls/sign-in.ts';
import { byId, KeyedList } from './dom/elements.ts';
import { conversationExists } from './server/conversation-exists.ts';
import { Files } from './server/conversation-files.ts';
import { Widgets } from './server/widgets.ts';
import { activityOf, statusText } from './transcript/status-text.ts';
import {
  applyEvent,
  emptyTranscript,
  isWorking,
  withEarlier,
  withoutUnsent,
  withUnsent,
} from './transcript/transcript.ts';
import type { Item, Transcript } from './transcript/transcript-types.ts';
import { viewItem } from './view/view-items.ts';
import { type TurnViewData, viewTurn } from './view/view-turn.ts';

const client = connect();
const widgets = new Widgets();
const files = new Files(client);
const notices = new Notices();
const scroll = byId('scroll', HTMLElement);
const sidebar = new Sidebar(client, () => open(undefined));
const composer = new Composer({
  send: (draft) => send(isWorking(transcript) ? 'followup' : 'prompt', draft),
  steer: (draft) => send('steer', draft),
  stop: () => send('steer', { text: '', files: [] }),
});
const connection = new ConnectionStatus(notices);
const earlier = new EarlierLoader(loadEarlier);
/** Earlier events that were loaded, by conversation. */
const earlierEvents = new Map<string, readonly ChatEvent[]>();
/** Refused messages, which can be edited. */
const refused = new Map<string, Draft>();
/** Number of turns that a conversation opens with, and that each load of earlier messages adds. */
const turnsLoaded = 20;
/** Distance from the end, in pixels, within which a scrolled conversation still follows new content. */
const followPx = 120;

let conversation: Conversation;
let transcript: Transcript = emptyTranscript;
let closing = new AbortController();
let turns: KeyedList<TurnViewData>;
let unsent: KeyedList<Item>;
let isDrawing = false;
let isFollowing = true;
/** Whether a conversation exists at this address. */
let existence: 'checking' | 'exists' | 'missing' = 'exists';
let lastTop = 0;
/** Pause after a drawing, in milliseconds. */
let restMs = 0;

hostWidgets({ client, canvas: (frame) => widgets.read(frame) });
window.addEventListener('hashchange', () => {
  const id = location.hash.slice(1);
  if (id !== conversation.id) open(id === '' ? undefined : id);
});
// A view at the end stays at the end while content grows. A view that was scrolled up stays where it is.
new ResizeObserver(() => {
  if (isFollowing) scroll.scrollTo({ top: scroll.scrollHeight });
}).observe(byId('story', HTMLElement));
scroll.addEventListener('scroll', () => {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < followPx;
  // Only scrolling up stops following. Content that grows below does not.
  if (isAtEnd || scroll.scrollTop < lastTop) isFollowing = isAtEnd;
  lastTop = scroll.scrollTop;
  byId('bar', HTMLElement).classList.toggle('scrolled', scroll.scrollTop > 4);
});
byId('leave', HTMLButtonElement).addEventListener('click', () => open(undefined));
open(location.hash.slice(1) || undefined);

/** Shows a conversation, or an empty page for a new one. */
function open(id: string | undefined): void {
  closing.abort();
  closing = new AbortController();
  isFollowing = true;
  earlier.reset();
  notices.clear('earlier');
  existence = id === undefined ? 'exists' : 'checking';
  conversation = client.conversation(id, { tail: turnsLoaded });
  transcript = withEarlier(emptyTranscript, earlierEvents.get(conversation.id) ?? []);
  if (id === undefined && location.hash !== '') history.pushState(null, '', location.pathname);
  const decide = (request: string, allow: boolean) => conversation.decide(request, { allow });
  const ask = (text: string) =>
    send(isWorking(transcript) ? 'followup' : 'prompt', { text, files: [] });
  const stage = { conversation: conversation.id, files, widgets, decide, ask, withdraw };
  for (const name of ['story', 'unsent']) byId(name, HTMLElement).replaceChildren();
  turns = new KeyedList(byId('story', HTMLElement), () => viewTurn(stage));
  unsent = new KeyedList(byId('unsent', HTMLElement), (item) => viewItem(item, stage));
  void follow(conversation, closing.signal);
  if (id !== undefined) void checkExistence(id, closing.signal);
  void showConversations();
  composer.open(id);
  draw();
  composer.focus();
}

async function follow(viewDataByTurn: Conversation, signal: AbortSignal): Promise<void> {
  const off = viewDataByTurn.onChange(draw);
  try {
    for await (const event of viewDataByTurn.events({ signal })) {
      applyOne(event);
      if (event.type === 'chat.start') await widgets.load(transcript.turns.at(-1)?.bundle ?? '');
      if (event.type === 'conv.status') void showConversations();
      draw();
    }
  } catch (error) {
    const again = { label: 'Reload', act: () => location.reload() };
    if (!signal.aborted) report('conversation', error, again);
  } finally {
    off();
  }
}

/** Returns false if it failed, or if another conversation is open by now. */
async function loadEarlier(): Promise<boolean> {
  const shown = conversation;
  try {
    const events = await shown.earlier(turnsLoaded);
    earlierEvents.set(shown.id, [...events, ...(earlierEvents.get(shown.id) ?? [])]);
    for (const { bundle } of withEarlier(emptyTranscript, events).turns) await widgets.load(bundle);
    if (shown !== conversation) return false;
    notices.clear('earlier');
    isFollowing = false;
    transcript = withEarlier(transcript, events);
    keepScrollPosition(scroll, paint);
    return true;
  } catch (error) {
    const again = { label: 'Try again', act: () => void earlier.load() };
    if (shown === conversation) report('earlier', error, again);
    return false;
  }
}

/** An event that fails does not stop the events after it. */
function applyOne(event: ChatEvent): void {
  try {
    transcript = applyEvent(transcript, event);
    if (event.type === 'conv.status' && event.data.state === 'deleted') existence = 'missing';
  } catch (error) {
    reportError(error);
  }
}

/** Checks whether the opened conversation exists. */
async function checkExistence(id: string, signal: AbortSignal): Promise<void> {
  try {
    const isThere = await conversationExists(id, signal);
    existence = isThere ? 'exists' : 'missing';
  } catch {
    // The server was unreachable, or another conversation is open by now. A lost connection has its own notice.
  }
  draw();
}

async function showConversations(): Promise<void> {
  try {
    await sidebar.show(conversation.id);
    notices.clear('list');
    draw();
  } catch (error) {
    report('list', error, { label: 'Try again', act: () => void showConversations() });
  }
}

/** Removes a refused message from the page, or puts it back into the composer. */
function withdraw(message: string, { edit }: { edit: boolean }): void {
  const draft = refused.get(message);
  refused.delete(message);
  transcript = withoutUnsent(transcript, message);
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

/** Shows the message immediately. It then becomes part of its turn, or shows why it was refused. */
function send(kind: 'prompt' | 'followup' | 'steer', draft: Draft): void {
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
  transcript = withUnsent(transcript, { ...item, state: 'sending' });
  composer.assign(conversation.id);
  if (location.hash === '') history.pushState(null, '', `#${conversation.id}`);
  isFollowing = true;
  draw();
  submit(kind, draft, message).catch((error: unknown) => {
    const problem = error instanceof Refusal ? error.message : 'The message was not sent.';
    refused.set(message, draft);
    transcript = withUnsent(transcript, { ...item, state: 'refused', problem });
    draw();
  });
}

/** Draws at most once per frame, and never uses more than a third of the time. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(() => requestAnimationFrame(paint), restMs);
}

function paint(): void {
  const begun = performance.now();
  isDrawing = false;
  turns.show(transcript.turns.map(toViewData));
  unsent.show(transcript.unsent);
  const isEmpty = transcript.turns.length + transcript.unsent.length === 0;
  const isMissing = existence === 'missing';
  byId('welcome', HTMLElement).hidden = existence !== 'exists' || !isEmpty;
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
  const working = isWorking(transcript);
  composer.working = working;
  const state = byId('state', HTMLElement);
  state.classList.toggle('working', working);
  state.textContent = working ? activityOf(transcript.turns.at(-1)?.items.at(-1)) : '';
  const summary = byId('summary', HTMLElement);
  const said = statusText(transcript);
  if (summary.textContent !== said) summary.textContent = said;
}

function firstPrompt(): string {
  if (conversation.hasEarlier) return '';
  const said = transcript.turns[0]?.items.find((item) => item.kind === 'said');
  return said?.kind === 'said' ? said.text : '';
}

/** Returns the same object for an unchanged turn, so that it is not drawn again. */
const shown = new WeakMap<object, TurnViewData>();
function toViewData(
  turn: Transcript['turns'][number],
  at: number,
  all: Transcript['turns'],
): TurnViewData {
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
