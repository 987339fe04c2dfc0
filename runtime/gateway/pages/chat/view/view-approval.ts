/// <reference lib="dom" />
import { Refusal } from '../../../../client/index.ts';
import { h, type View } from '../dom/elements.ts';
import type { Item } from '../transcript/transcript-types.ts';
import type { ViewContext } from './view-context.ts';

type Approval = Item & { readonly kind: 'approval' };

type Words = { readonly allow: string; readonly deny: string; readonly outcomes: Outcomes };
type Outcomes = Readonly<Record<string, string>>;

const unanswered = { expired: 'Not answered in time', interrupted: 'No longer required' };
const ofCalls = {
  allow: 'Allow',
  deny: 'Deny',
  outcomes: { allowed: 'Allowed', denied: 'Denied', ...unanswered },
};
const words: Readonly<Record<Approval['asks'], Words>> = {
  call: ofCalls,
  tool_failure: ofCalls,
  agent: ofCalls,
  spending: {
    allow: 'Extend',
    deny: 'Stop',
    outcomes: { allowed: 'Extended', denied: 'Stopped', ...unanswered },
  },
};

/** An approval request with its buttons, then its outcome. */
export function viewApproval({ decide }: ViewContext): View<Approval> {
  const [title, detail, input] = [h('strong'), h('p'), h('pre')];
  const status = h('span', { class: 'outcome', role: 'status' });
  const allow = h('button', { type: 'button', onclick: () => void say(true) });
  const deny = h('button', { type: 'button', onclick: () => void say(false) });
  const buttons = [allow, deny];
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
      const { call, asks } = item;
      allow.textContent = words[asks].allow;
      deny.textContent = words[asks].deny;
      input.textContent = call ? `${call.tool} ${JSON.stringify(call.input, null, 2)}` : '';
      input.hidden = call === undefined;
      for (const button of buttons) button.hidden = item.outcome !== '';
      if (item.outcome !== '')
        status.textContent = words[asks].outcomes[item.outcome] ?? item.outcome;
    },
  };
}
