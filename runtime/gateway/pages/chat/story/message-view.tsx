/// <reference lib="dom" />
import { type ReactNode, useState } from 'react';
import type { MessagePart } from '../../../../client/index.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { editIcon } from '../../shared/icons.tsx';
import { MessageEditor } from '../rare/message-editor.tsx';
import { usePage } from '../state/page-context.ts';
import { useUpload } from '../state/uploads.ts';

type Props = {
  readonly part: MessagePart;
  /** The turn that the message opened, if it can be changed. */
  readonly turn?: string | undefined;
};

/** The state of a message, if it is not obvious. */
function stateOf({ event, state, text, problem }: MessagePart): string {
  if (problem !== undefined) return problem;
  if (state === 'sending') return 'sending…';
  if (event === 'prompt' || text === '' || state === 'refused') return '';
  if (state === 'seen') return 'read';
  return event === 'steer' ? 'stops the current work' : 'will be read at the next step';
}

/** A message of the user. */
export function MessageView({ part, turn }: Props): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const { event, state, files } = part;
  const text = part.text === '' && event === 'steer' ? 'Stop' : part.text;
  const meta = stateOf(part);
  if (isEditing && turn !== undefined) {
    return <MessageEditor text={text} turn={turn} close={() => setEditing(false)} />;
  }
  return (
    <div className="said" data-kind="said" data-state={state} data-event={event}>
      {files.length > 0 && (
        <div className="attached">
          {[...files.entries()].map(([at, { filename }]) => (
            <span className="chip" key={at}>
              {filename}
            </span>
          ))}
        </div>
      )}
      {text !== '' && (
        <div className="bubble" dir="auto">
          {text}
        </div>
      )}
      <Progress message={part.message} />
      {meta !== '' && (
        <div className="meta">
          {meta}
          {isUnread(part) && <TakeBack part={part} />}
        </div>
      )}
      {state === 'refused' && <RefusedChoices message={part.message} />}
      {turn !== undefined && text !== '' && (
        <div className="message-actions">
          <IconButton icon={editIcon} label="Edit this question" onClick={() => setEditing(true)} />
        </div>
      )}
    </div>
  );
}

/** It can be recalled. Files could not be put back into the composer. */
function isUnread({ event, state, text, files }: MessagePart): boolean {
  const isAdded = event === 'followup' || event === 'steer';
  return isAdded && state === 'accepted' && text !== '' && files.length === 0;
}

function TakeBack({ part: { message, text } }: { part: MessagePart }): ReactNode {
  const { takeBack } = usePage();
  return (
    <button type="button" className="quiet-button" onClick={() => takeBack(message, text)}>
      Take back
    </button>
  );
}

function Progress({ message }: { message: string }): ReactNode {
  const upload = useUpload(message);
  if (!upload) return null;
  return (
    <div className="upload">
      <progress aria-label={`Upload of ${upload.name}`} max={upload.total} value={upload.sent} />
    </div>
  );
}

function RefusedChoices({ message }: { message: string }): ReactNode {
  const { withdraw } = usePage();
  return (
    <div className="choices">
      <button type="button" onClick={() => withdraw(message, { edit: true })}>
        Edit
      </button>
      <button type="button" onClick={() => withdraw(message, { edit: false })}>
        Discard
      </button>
    </div>
  );
}
