import { nearestFirst } from '../../../base/nearest.ts';

/** What a line that a person typed asks for. */
export type ChatInput =
  | { readonly do: 'message' | 'steer' | 'attach'; readonly text: string }
  | { readonly do: 'save'; readonly file: string; readonly target: string | undefined }
  | { readonly do: 'help' | 'files' | 'cost' | 'stop' | 'quit' }
  | { readonly do: 'refuse'; readonly because: string };

type Command = {
  readonly takes: string;
  readonly says: string;
  parse(rest: string): ChatInput;
};

const simple = (what: 'help' | 'files' | 'cost' | 'stop' | 'quit', says: string): Command => ({
  takes: '',
  says,
  parse: () => ({ do: what }),
});

const commands: ReadonlyMap<string, Command> = new Map([
  [
    'steer',
    {
      takes: ' TEXT',
      says: 'redirect the turn at once; the same as !TEXT',
      parse: (text) =>
        text === ''
          ? { do: 'refuse', because: '/steer needs a text; /stop stops the turn' }
          : { do: 'steer', text },
    },
  ],
  [
    'attach',
    {
      takes: ' FILE',
      says: 'send a file of this machine with the next message',
      parse: (text) =>
        text === '' ? { do: 'refuse', because: '/attach needs a file' } : { do: 'attach', text },
    },
  ],
  ['files', simple('files', 'list the files that the agent has delivered')],
  [
    'save',
    {
      takes: ' N [PATH]',
      says: 'save file N of that list',
      parse(rest) {
        const [file = '', ...target] = rest.split(/\s+/);
        if (!/^\d+$/.test(file)) return { do: 'refuse', because: '/save needs a number of /files' };
        return { do: 'save', file, target: target.join(' ') || undefined };
      },
    },
  ],
  ['cost', simple('cost', 'time, tokens and price of the turns seen here')],
  ['stop', simple('stop', 'stop the turn; the same as Ctrl-C')],
  ['help', simple('help', 'this list')],
  ['quit', simple('quit', 'leave the chat; the turn goes on')],
]);

/** Reads a line: a command after `/`, a steer after `!`, else a message. `//` begins a message with a slash. */
export function parseChatInput(line: string): ChatInput {
  const text = line.trim();
  if (text.startsWith('!')) return { do: 'steer', text: text.slice(1).trim() };
  if (text.startsWith('//')) return { do: 'message', text: text.slice(1) };
  const [, name, rest = ''] = /^\/(\w*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return { do: 'message', text };
  const command = commands.get(name);
  if (command) return command.parse(rest.trim());
  const [close] = nearestFirst(name, [...commands.keys()]);
  return {
    do: 'refuse',
    because: `/${name} is not a command; did you mean /${close}? /help lists them, and // begins a message with a slash`,
  };
}

/** One line per command. */
export function commandList(): string {
  const rows = [...commands].map(([name, { takes, says }]) => [`/${name}${takes}`, says] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, says]) => `${left.padEnd(width)}  ${says}`).join('\n');
}
