/// <reference lib="dom" />

import { fields, text } from '../../../../client/story/json-fields.ts';
import { h } from '../../shared/markdown/elements.ts';

/** Asks for a token. Further refusals do not open a second dialog. A valid token reloads the page. */
export function askForToken(because: string): void {
  if (document.querySelector('dialog.sign-in')) return;
  const field = h('input', {
    type: 'password',
    required: true,
    autocomplete: 'off',
    'aria-label': 'Token',
  });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = async (event: Event) => {
    event.preventDefault();
    problem.textContent = await signIn(field.value.trim());
    if (problem.textContent === '') location.reload();
  };
  const form = h(
    'form',
    { onsubmit: (event: Event) => void submit(event) },
    h('h2', {}, 'Sign in'),
    h('p', {}, `Paste your access token. (${because})`),
    field,
    problem,
    h('button', { type: 'submit' }, 'Sign in'),
  );
  const dialog = h('dialog', { class: 'sign-in' }, form);
  document.body.append(dialog);
  dialog.showModal();
}

/** The problem with the token; empty if it is accepted. */
async function signIn(token: string): Promise<string> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch('/api/session', { method: 'POST', headers });
    if (answer.ok) return '';
    return (
      text(fields(fields(await answer.json())['error'])['message']) || 'The token was not accepted.'
    );
  } catch {
    return 'The server does not answer, or the token is not valid.';
  }
}
