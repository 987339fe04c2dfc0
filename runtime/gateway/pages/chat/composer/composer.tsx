/// <reference lib="dom" />
import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { textCharsMax } from '../../../../client/protocol/limits.ts';
import { attachIcon, Icon } from '../../shared/icons.tsx';
import { formatBytes } from '../state/format.ts';
import type { Draft } from './drafts.ts';
import type { DraftState } from './use-draft.ts';
import { useDrop } from './use-drop.ts';

type Props = {
  readonly draft: DraftState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isWorking: boolean;
  readonly hidden: boolean;
  /** A prompt; while a turn is running: a followup. */
  send(draft: Draft): void;
  /** Stops the running work and continues with this message. */
  steer(draft: Draft): void;
  stop(): void;
  /** Beside the button for files. */
  readonly children?: ReactNode;
};

/** The message field: grows with its text, accepts files by button, drop and paste, and adapts to a running turn. */
export function Composer(props: Props): ReactNode {
  const { draft, field, isWorking, hidden, send, steer, stop, children } = props;
  const { text, files } = draft.value;
  const isDropping = useDrop(draft.addFiles);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + (text === '' ? 0 : 0)}px`;
  }, [field, text]);
  const length = text.trim().length;
  const isTooLong = length > textCharsMax;
  const isEmpty = length === 0 && files.length === 0;
  const submit = (take: (draft: Draft) => void) => {
    if (isEmpty || isTooLong) return;
    draft.clear();
    take({ text: text.trim(), files });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit(isWorking && (event.metaKey || event.ctrlKey) ? steer : send);
  };
  return (
    <form
      id="composer"
      className={isDropping ? 'dropping' : ''}
      hidden={hidden}
      onSubmit={(event) => {
        event.preventDefault();
        submit(send);
      }}
    >
      <Chips files={files} remove={draft.removeFile} />
      <textarea
        ref={field}
        id="text"
        rows={1}
        aria-label="Message"
        dir="auto"
        placeholder={isWorking ? 'Add something while it works' : 'Ask something'}
        value={text}
        onChange={(event) => draft.setText(event.target.value)}
        onKeyDown={press}
        onPaste={(event) => draft.addFiles([...event.clipboardData.files])}
      />
      <div className="tools">
        <Attach add={draft.addFiles} />
        {children}
        <Hint length={length} isTooLong={isTooLong} isChoice={isWorking && !isEmpty} />
        <button id="stop" type="button" hidden={!isWorking} onClick={stop}>
          Stop
        </button>
        <button
          id="steer"
          type="button"
          hidden={!isWorking || isEmpty || isTooLong}
          title="Stop the current work and continue with this message"
          onClick={() => submit(steer)}
        >
          Redirect
        </button>
        <button id="send" type="submit" disabled={isEmpty || isTooLong}>
          {isWorking ? 'Add' : 'Send'}
        </button>
      </div>
    </form>
  );
}

function Chips(props: { files: readonly File[]; remove(file: File): void }): ReactNode {
  return (
    <div id="files">
      {[...props.files.entries()].map(([at, file]) => (
        <span className="chip" key={at}>
          {file.name} · {formatBytes(file.size)}
          <button
            type="button"
            aria-label={`Remove ${file.name}`}
            onClick={() => props.remove(file)}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}

function Attach({ add }: { add(files: readonly File[]): void }): ReactNode {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        id="attach"
        type="button"
        title="Attach files"
        aria-label="Attach files"
        onClick={() => picker.current?.click()}
      >
        <Icon path={attachIcon} size={18} />
      </button>
      <input
        ref={picker}
        id="picker"
        type="file"
        multiple
        hidden
        onChange={(event) => {
          add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}

type HintProps = {
  readonly length: number;
  readonly isTooLong: boolean;
  readonly isChoice: boolean;
};

function Hint({ length, isTooLong, isChoice }: HintProps): ReactNode {
  const choice = 'Add is read at the next step; Redirect stops the current work';
  return (
    <span id="hint" role="status" className={isTooLong ? 'bad' : ''}>
      {isTooLong ? tooLong(length) : isChoice ? choice : ''}
    </span>
  );
}

function tooLong(length: number): string {
  const [has, may] = [length, textCharsMax].map((n) => n.toLocaleString('en'));
  return `${has} characters; the limit is ${may}. Shorten the message, or attach it as a file.`;
}
