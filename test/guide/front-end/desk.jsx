import { useConversation } from 'timeloom/client/react';

export function Desk({ conversation }) {
  const { turns, unsent, approvals, status, ...desk } = useConversation(conversation);
  const isWorking = status === 'working';
  // What is refused stays in `unsent`, with the problem.
  const say = (text) => (isWorking ? desk.followup(text) : desk.send(text)).catch(() => undefined);
  return (
    <main>
      {turns.map((turn) => (
        <article key={turn.id}>
          {turn.parts.map((part) => (
            <p key={part.key}>{textOf(part)}</p>
          ))}
          {turn.sources.map(({ sid, title, url }) => (
            <a key={sid} href={url}>{`[${sid}] ${title}`}</a>
          ))}
          {turn.end?.code && <p role="alert">{`${turn.end.message} (${turn.end.code})`}</p>}
          {turn.suggestions.map((text) => (
            <Button key={text} label={text} act={() => say(text)} />
          ))}
        </article>
      ))}
      {unsent.map(({ key, text, problem = 'sending…' }) => (
        <p key={key}>{`${text} (${problem})`}</p>
      ))}
      {approvals.map(({ request, title }) => (
        <p key={request}>
          {title} <Button label="Allow" act={() => desk.decide(request, { allow: true })} />
          <Button label="Deny" act={() => desk.decide(request, { allow: false })} />
        </p>
      ))}
      <form action={(form) => say(form.get('text'))}>
        <input name="text" aria-label="Message" required />
        <button type="submit">{isWorking ? 'Add' : 'Send'}</button>
        {isWorking && <Button label="Stop" act={desk.stop} />}
      </form>
    </main>
  );
}

function textOf({ kind, text, event, state, tool, progress }) {
  if (kind === 'tool') return `${tool} ${state} ${progress}`;
  if (kind === 'message') return event === 'followup' ? `${text} (${state})` : text;
  return kind === 'answer' ? text : '';
}

function Button({ label, act }) {
  return (
    <button type="button" onClick={() => act()}>
      {label}
    </button>
  );
}
