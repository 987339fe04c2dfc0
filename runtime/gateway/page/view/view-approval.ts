/// <reference lib="dom" />
import { Refusal } from '../../../client/index.ts';
import { h, type View } from '../dom/elements.ts';
import type { Item } from '../transcript/transcript-types.ts';
import type { ViewContext } from './view-context.ts';

type Approval = Item & { readonly kind: 'approval' };

const outcomes: Readonly<Record<string, string>> = {
  allowed: 'Allowed',
  denied: 'Denied',
  expired: 'Not answered in time',
  interrupted: 'No longer required',
};

/** An approval request with its buttons, then its outcome. */
export function viewApproval({ decide }: ViewContext): View<Approval> {
  const [title, detail, input] = [h('strong'), h('p'), h('pre')];
  const status = h('span', { class: 'outcome', role: 'status' });
  const buttons = [
    h('button', { type: 'button', onclick: () => void say(true) }, 'Allow'),
    h('button', { type: 'button', onclick: () => void say(false) }, 'Deny'),
  ];
  const answers = h('div', { class: 'answers' }, ...buttons, status);
  const element = h('section', { class: 'approval' }, title, detail, input, answers);
  let request = '';
  const say = async (allow: boolean) => {
    for (const button of buttons) button.disabled = true;
    try {
      await decide(request, allow);
    } catch (error) {
      status.textContent = error instanceof Refusal ? error.message : 'The answer was not sent.';
      for (const button of buttons) button.disabled = false;
    }
  };
  return {
    element,
    update: (item) => {
      request = item.request;
      element.dataset['outcome'] = item.outcome;
      element.setAttribute('aria-label', item.title);
      title.textContent = item.title;
      detail.textContent = item.detail;
      detail.hidden = item.detail === '';
      input.textContent = `${item.tool} ${JSON.stringify(item.input, null, 2)}`;
      for (const button of buttons) button.hidden = item.outcome !== '';
      if (item.outcome !== '') status.textContent = outcomes[item.outcome] ?? item.outcome;
    },
  };
}
