/// <reference lib="dom" />
import { h, type View } from '../dom/elements.ts';
import { MarkdownView } from '../dom/markdown.ts';
import { setText } from '../dom/patch.ts';
import type { Item } from '../transcript/transcript-types.ts';
import { viewApproval } from './view-approval.ts';
import { viewCanvas } from './view-canvas.ts';
import type { ViewContext } from './view-context.ts';
import { viewFiles } from './view-files.ts';
import { viewSecret } from './view-secret.ts';

type Of<Kind extends Item['kind']> = Item & { readonly kind: Kind };

/** Creates the view of an item. The kind of an item never changes. */
export function viewItem(item: Item, stage: ViewContext): View<Item> {
  switch (item.kind) {
    case 'said':
      return only('said', viewMessage(stage));
    case 'thinking':
      return only('thinking', viewThinking());
    case 'note':
      return only('note', viewNote());
    case 'answer':
      return only('answer', viewAnswer());
    case 'code':
      return only('code', viewCode());
    case 'tool':
      return only('tool', viewTool());
    case 'approval':
      return only('approval', viewApproval(stage));
    case 'secret':
      return only('secret', viewSecret(stage));
    case 'plan':
      return only('plan', viewPlan());
    case 'canvas':
      return only('canvas', viewCanvas(stage));
    case 'quiet':
      return only('quiet', viewStatusLine());
    case 'files':
      return only('files', viewFiles(stage));
  }
}

function only<Kind extends Item['kind']>(kind: Kind, view: View<Of<Kind>>): View<Item> {
  const isOwn = (item: Item): item is Of<Kind> => item.kind === kind;
  view.element.dataset['kind'] = kind;
  return { element: view.element, update: (item) => (isOwn(item) ? view.update(item) : undefined) };
}

/** The state of a message, if it is not obvious. */
function stateOf({ event, state, text, problem }: Of<'said'>): string {
  if (problem !== undefined) return problem;
  if (state === 'sending') return 'sending…';
  if (event === 'prompt' || text === '' || state === 'refused') return '';
  if (state === 'seen') return 'read';
  return event === 'steer' ? 'stops the current work' : 'will be read at the next step';
}

function viewStatusLine(): View<Of<'quiet'>> {
  const element = h('div', { class: 'quiet' });
  return {
    element,
    update: ({ text }) => {
      element.textContent = text;
    },
  };
}

function viewMessage({ withdraw }: ViewContext): View<Of<'said'>> {
  const [files, bubble, meta] = [
    h('div', { class: 'attached' }),
    h('div', { class: 'bubble', dir: 'auto' }),
    h('div', { class: 'meta' }),
  ];
  let message = '';
  const button = (label: string, edit: boolean) =>
    h('button', { type: 'button', onclick: () => withdraw(message, { edit }) }, label);
  const choices = h('div', { class: 'choices' }, button('Edit', true), button('Discard', false));
  const element = h('div', { class: 'said' }, files, bubble, meta, choices);
  return {
    element,
    update: (item) => {
      message = item.message;
      choices.hidden = item.state !== 'refused';
      const { event, state, text, files: attached } = item;
      element.dataset['state'] = state;
      element.dataset['event'] = event;
      files.replaceChildren(
        ...attached.map(({ filename }) => h('span', { class: 'chip' }, filename)),
      );
      bubble.textContent = text === '' && event === 'steer' ? 'Stop' : text;
      bubble.hidden = bubble.textContent === '';
      meta.textContent = stateOf(item);
      meta.hidden = meta.textContent === '';
    },
  };
}

/** Open while it grows, then collapsed, unless the user has toggled it. */
function viewThinking(): View<Of<'thinking'>> {
  const label = h('span', { class: 'label' });
  const summary = h('summary', {}, label);
  const body = h('div', { class: 'body', dir: 'auto' });
  const element = h('details', { class: 'thinking' }, summary, body);
  let isToggled = false;
  summary.addEventListener('click', () => {
    isToggled = true;
  });
  return {
    element,
    update: ({ text, done }) => {
      element.hidden = text.trim() === '';
      element.classList.toggle('live', !done);
      if (!isToggled) element.open = !done;
      label.textContent = done ? `Thought: ${firstLine(text)}` : 'Thinking';
      setText(body, text.trim());
    },
  };
}

function viewNote(): View<Of<'note'>> {
  const prose = new MarkdownView('prose');
  const element = h('div', { class: 'note' }, prose.element);
  return {
    element,
    update: ({ text, done }) => {
      element.hidden = text.trim() === '';
      prose.update(text, done);
    },
  };
}

function viewAnswer(): View<Of<'answer'>> {
  const prose = new MarkdownView('answer prose');
  return {
    element: prose.element,
    update: ({ text, done }) => {
      prose.element.classList.toggle('growing', !done);
      prose.update(text, done);
    },
  };
}

const programs: Readonly<Record<string, string>> = {
  python: 'Python program',
  javascript: 'JavaScript program',
};

function viewCode(): View<Of<'code'>> {
  let wasDone = false;
  const [label, calls] = [h('span', { class: 'label' }), h('span', { class: 'calls' })];
  const [code, output] = [h('code'), h('pre', { class: 'output', 'aria-label': 'Output' })];
  const source = h('pre', {}, code);
  const head = h('summary', {}, label, h('span', { class: 'spacer' }), calls);
  const element = h('details', { class: 'panel code', open: true }, head, source, output);
  return {
    element,
    update: ({ text, done, language, output: printed, calls: called }) => {
      element.classList.toggle('live', !done);
      label.textContent = done ? (programs[language] ?? 'Program') : 'Writing a program';
      calls.textContent = Object.entries(called)
        .map(([tool, n]) => (n > 1 ? `${tool} ×${n}` : tool))
        .join(', ');
      setText(code, text);
      setText(output, printed);
      // While the program is being written, show its end; then show its beginning.
      if (!done) source.scrollTop = source.scrollHeight;
      else if (!wasDone) source.scrollTop = 0;
      wasDone = done;
    },
  };
}

function viewTool(): View<Of<'tool'>> {
  const [name, progress, body] = [h('code'), h('span', { class: 'progress' }), h('pre')];
  const element = h('details', { class: 'tool' }, h('summary', {}, name, progress), body);
  let shown: Of<'tool'> | undefined;
  const fill = () => {
    if (element.open && shown) body.textContent = explain(shown);
  };
  element.addEventListener('toggle', fill);
  return {
    element,
    update: (item) => {
      shown = item;
      element.dataset['state'] = item.state;
      name.textContent = item.tool;
      progress.textContent = item.state === 'running' ? item.progress : '';
      fill();
    },
  };
}

function explain({ input, result }: Of<'tool'>): string {
  const asked = JSON.stringify(input, null, 2);
  return result === undefined ? asked : `${asked}\n\n→ ${JSON.stringify(result, null, 2)}`;
}

function viewPlan(): View<Of<'plan'>> {
  const element = h('ol', { class: 'plan', 'aria-label': 'Plan' });
  return {
    element,
    update: ({ steps }) => {
      element.replaceChildren(
        ...steps.map(({ text, status }) => h('li', { 'data-status': status }, text)),
      );
    },
  };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
