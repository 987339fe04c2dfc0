/// <reference lib="dom" />
import { textCharsMax } from '../../../../client/protocol/limits.ts';
import { byId, h } from '../dom/elements.ts';
import { formatBytes } from '../view/view-files.ts';
import { type Draft, readDraft, saveDraft } from './drafts.ts';

type Actions = {
  /** Sends a prompt, or a followup while a turn is running. */
  send(draft: Draft): void;
  /** Stops the running work and continues with this message. */
  steer(draft: Draft): void;
  stop(): void;
};

const newConversation = 'new';

/** The message field: grows with its text, accepts files by button, drop and paste, and adapts to a running turn. */
export class Composer {
  readonly #form = byId('composer', HTMLFormElement);
  readonly #text = byId('text', HTMLTextAreaElement);
  readonly #list = byId('files', HTMLElement);
  readonly #picker = byId('picker', HTMLInputElement);
  readonly #send = byId('send', HTMLButtonElement);
  readonly #steer = byId('steer', HTMLButtonElement);
  readonly #stop = byId('stop', HTMLButtonElement);
  readonly #hint = byId('hint', HTMLElement);
  readonly #actions: Actions;
  #files: readonly File[] = [];
  #isWorking = false;
  #conversation = newConversation;

  constructor(actions: Actions) {
    this.#actions = actions;
    this.#listen();
    this.#show();
  }

  set working(isWorking: boolean) {
    this.#isWorking = isWorking;
    this.#show();
  }

  /** Shows the draft of a conversation; `undefined`: of a new one. */
  open(conversation: string | undefined): void {
    this.#conversation = conversation ?? newConversation;
    const { text, files } = readDraft(this.#conversation);
    this.#text.value = text;
    this.#files = files;
    this.#show();
  }

  /** The first message has created the conversation, so the next drafts belong to it. */
  assign(conversation: string): void {
    this.#conversation = conversation;
  }

  /** Puts a message back for editing, before any newer text. */
  restore({ text, files }: Draft): void {
    this.#text.value = [text, this.#text.value].filter((each) => each !== '').join('\n\n');
    this.#files = [...files, ...this.#files];
    this.#save();
    this.focus();
  }

  focus(): void {
    this.#text.focus();
  }

  #listen(): void {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit((draft) => this.#actions.send(draft));
    });
    this.#steer.addEventListener('click', () =>
      this.#submit((draft) => this.#actions.steer(draft)),
    );
    this.#stop.addEventListener('click', () => this.#actions.stop());
    this.#text.addEventListener('input', () => this.#save());
    this.#text.addEventListener('keydown', (event) => this.#key(event));
    this.#text.addEventListener('paste', (event) => this.#add(event.clipboardData?.files));
    byId('attach', HTMLButtonElement).addEventListener('click', () => this.#picker.click());
    this.#picker.addEventListener('change', () => {
      this.#add(this.#picker.files);
      this.#picker.value = '';
    });
    this.#listenToDrops();
  }

  #listenToDrops(): void {
    const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver);
    window.addEventListener('dragover', (event) => {
      event.preventDefault();
      mark(true);
    });
    window.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) mark(false);
    });
    window.addEventListener('drop', (event) => {
      event.preventDefault();
      mark(false);
      this.#add(event.dataTransfer?.files);
    });
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const redirects = this.#isWorking && (event.metaKey || event.ctrlKey);
    this.#submit((draft) => (redirects ? this.#actions.steer(draft) : this.#actions.send(draft)));
  }

  #submit(take: (draft: Draft) => void): void {
    const draft = { text: this.#text.value.trim(), files: this.#files };
    if (draft.text === '' && draft.files.length === 0) return;
    if (draft.text.length > textCharsMax) return;
    this.#text.value = '';
    this.#files = [];
    this.#save();
    take(draft);
  }

  #add(files: FileList | null | undefined): void {
    this.#files = [...this.#files, ...(files ?? [])];
    this.#save();
  }

  #save(): void {
    saveDraft(this.#conversation, { text: this.#text.value, files: this.#files });
    this.#show();
  }

  #show(): void {
    const isEmpty = this.#text.value.trim() === '' && this.#files.length === 0;
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    this.#text.placeholder = this.#isWorking ? 'Add something while it works' : 'Ask something';
    const length = this.#text.value.trim().length;
    const isTooLong = length > textCharsMax;
    this.#send.disabled = isEmpty || isTooLong;
    this.#send.textContent = this.#isWorking ? 'Add' : 'Send';
    this.#stop.hidden = !this.#isWorking;
    this.#steer.hidden = !this.#isWorking || isEmpty || isTooLong;
    const choice = 'Add is read at the next step; Redirect stops the current work';
    const hint = this.#isWorking && !isEmpty ? choice : '';
    this.#hint.textContent = isTooLong ? tooLong(length) : hint;
    this.#hint.classList.toggle('bad', isTooLong);
    this.#list.replaceChildren(...this.#files.map((file) => this.#chip(file)));
  }

  #chip(file: File): HTMLElement {
    const remove = () => {
      this.#files = this.#files.filter((each) => each !== file);
      this.#save();
    };
    const button = h(
      'button',
      { type: 'button', 'aria-label': `Remove ${file.name}`, onclick: remove },
      '×',
    );
    return h('span', { class: 'chip' }, `${file.name} · ${formatBytes(file.size)}`, button);
  }
}

function tooLong(length: number): string {
  const [has, may] = [length, textCharsMax].map((n) => n.toLocaleString('en'));
  return `${has} characters; the limit is ${may}. Shorten the message, or attach it as a file.`;
}
