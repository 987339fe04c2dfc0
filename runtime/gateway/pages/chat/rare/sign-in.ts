/// <reference lib="dom" />

import { h } from '../../shared/markdown/elements.ts';
import {
  openSession,
  reasonToSignIn,
  renewSession,
  signInAddress,
  signInProvider,
} from '../server/session.ts';

let isAsking = false;

/**
 * Renews the session if the provider does so without its user. Otherwise asks the user to sign in. Further refusals do
 * not open a second dialog. A new session reloads the page.
 */
export async function askForToken(because: string): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  const provider = signInProvider() ?? '';
  if (provider !== '' && (await renewSession({ below: 0 }))) location.reload();
  else showDialog(because, provider);
}

function showDialog(because: string, provider: string): void {
  const reason = reasonToSignIn(because);
  const why = reason === undefined ? '' : ` (${reason})`;
  const ways =
    provider === ''
      ? [h('p', {}, `Paste your access token.${why}`), tokenForm('primary')]
      : [
          h('a', { class: 'primary', href: signInAddress() }, `Sign in with ${provider}`),
          h('details', {}, h('summary', {}, 'Use an access token instead'), tokenForm('')),
        ];
  const dialog = h('dialog', { class: 'sign-in' }, h('h2', {}, 'Sign in'), ...ways);
  document.body.append(dialog);
  dialog.showModal();
}

/** With the class of its button. */
function tokenForm(style: 'primary' | ''): HTMLFormElement {
  const field = h('input', {
    type: 'password',
    required: true,
    autocomplete: 'off',
  });
  const label = h('label', {}, 'Access token', field);
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = async (event: Event) => {
    event.preventDefault();
    problem.textContent = await openSession(field.value.trim());
    if (problem.textContent === '') location.reload();
  };
  const send = h('button', { type: 'submit', class: style }, 'Sign in');
  return h('form', { onsubmit: (event: Event) => void submit(event) }, label, problem, send);
}
