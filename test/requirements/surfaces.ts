import type { Promises } from './promises.ts';

export const surfaces: Promises = {
  'surface.conversation':
    'What a person writes in a messenger is answered in the same chat, in one conversation.',
  'surface.projects':
    'Each project may have a bot of its own, with chats, conversations and settings of that project.',
  'surface.one-bot':
    'Two projects with the token of one bot are refused at the start, with both places and without the token.',
  'surface.edits': 'One message shows the progress of a turn and becomes its answer.',
  'surface.steer': 'A reply to the message that is being written steers the turn; /stop stops it.',
  'surface.approval': 'An approval is a message with buttons that shows its outcome afterwards.',
  'surface.files': 'Files of people reach the agent, and its files reach the chat.',
  'surface.allow': 'Only chats that the operator listed reach an agent.',
  'surface.once':
    'An update that arrives twice is one message, and a service that is busy is asked again.',
  'surface.group': 'In a group the bot reads only what is meant for it.',
  'surface.webhook': 'A webhook takes updates only from the service that knows its secret.',
  'surface.gateways':
    'Of several gateways with a bot, one receives its updates and shows the turns of its chats; another one takes over from it.',
  'surface.stop': 'A message that is being sent when the server stops is not sent again.',
  'surface.crash':
    'After kill -9 the same message of the chat is continued, and none is sent twice.',
  'surface.compaction':
    'A chat shows that its conversation was summarised, and how many tokens that saved.',
  'surface.long-text':
    'A text that is too long for one message is divided without losing a character.',
};
