/// <reference lib="dom" />
import * as Dialog from '@radix-ui/react-dialog';
import * as Menu from '@radix-ui/react-dropdown-menu';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type ConversationFacts, Refusal } from '../../../../client/index.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { moreIcon } from '../../shared/icons.tsx';
import { useClient } from '../state/client-context.ts';

type Props = {
  readonly item: ConversationFacts;
  readonly label: string;
  changed(change: { readonly deleted?: string }): void;
};

/** What can be done with a conversation of the list. It opens at once, because it is loaded by a click on its button. */
export function ConversationMenu({ item, label, changed }: Props): ReactNode {
  const client = useClient();
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const conversation = client.conversation(item.id);
  const pin = () => {
    void conversation.pin(!item.pinned).then(
      () => changed({}),
      () => changed({}),
    );
  };
  return (
    <>
      <Menu.Root defaultOpen modal={false}>
        <Menu.Trigger asChild>
          <IconButton icon={moreIcon} label={label} />
        </Menu.Trigger>
        <Menu.Portal container={document.getElementById('sidebar')}>
          <Menu.Content className="menu" align="end" sideOffset={4}>
            <Menu.Item onSelect={() => setDialog('rename')}>Rename…</Menu.Item>
            <Menu.Item onSelect={pin}>{item.pinned ? 'Unpin' : 'Pin'}</Menu.Item>
            <Menu.Separator />
            <Menu.Item className="bad" onSelect={() => setDialog('delete')}>
              Delete…
            </Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <Dialog.Root open={dialog !== undefined} onOpenChange={() => setDialog(undefined)}>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="dialog" aria-describedby={undefined}>
            {dialog === 'delete' ? (
              <DeleteForm
                title={item.title}
                erase={() => conversation.erase()}
                done={() => changed({ deleted: item.id })}
              />
            ) : (
              <RenameForm
                title={item.title}
                rename={(title) => conversation.rename(title)}
                done={() => {
                  setDialog(undefined);
                  changed({});
                }}
              />
            )}
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

type RenameProps = {
  readonly title: string;
  rename(title: string): Promise<void>;
  done(): void;
};

function RenameForm({ title, rename, done }: RenameProps): ReactNode {
  const [name, setName] = useState(title);
  const { problem, run } = useAction(() => rename(name.trim()), done);
  return (
    <form onSubmit={run}>
      <Dialog.Title>Rename conversation</Dialog.Title>
      <input
        aria-label="Name"
        dir="auto"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Buttons problem={problem} label="Rename" isDangerous={false} />
    </form>
  );
}

type DeleteProps = { readonly title: string; erase(): Promise<void>; done(): void };

function DeleteForm({ title, erase, done }: DeleteProps): ReactNode {
  const { problem, run } = useAction(erase, done);
  return (
    <form onSubmit={run}>
      <Dialog.Title>Delete this conversation?</Dialog.Title>
      <p dir="auto">“{title || 'New conversation'}” and its files will be deleted permanently.</p>
      <Buttons problem={problem} label="Delete" isDangerous />
    </form>
  );
}

type ButtonProps = {
  readonly problem: string;
  readonly label: string;
  readonly isDangerous: boolean;
};

function Buttons({ problem, label, isDangerous }: ButtonProps): ReactNode {
  return (
    <>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="choices">
        <Dialog.Close asChild>
          <button type="button">Cancel</button>
        </Dialog.Close>
        <button type="submit" className={isDangerous ? 'primary dangerous' : 'primary'}>
          {label}
        </button>
      </div>
    </>
  );
}

/** Runs an action on submit, and shows why it failed. */
function useAction(action: () => Promise<void>, done: () => void) {
  const [problem, setProblem] = useState('');
  const run = (event: FormEvent) => {
    event.preventDefault();
    action().then(done, (error: unknown) => {
      setProblem(error instanceof Refusal ? error.message : 'The server cannot be reached.');
    });
  };
  return { problem, run };
}
