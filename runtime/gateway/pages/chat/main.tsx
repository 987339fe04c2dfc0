/// <reference lib="dom" />
import { createRoot } from 'react-dom/client';
import { connect } from '../../../client/index.ts';
import { hostWidgets } from '../../../client/widgets/widget-host.ts';
import { markdownLoading } from '../shared/markdown-loading.ts';
import { ChatApp } from './app/chat-app.tsx';
import { loadLater } from './later/later.ts';
import { Files } from './server/conversation-files.ts';
import { Widgets } from './server/widgets.ts';

markdownLoading();
loadLater();
const client = connect();
const widgets = new Widgets();
hostWidgets({ client, canvas: (frame) => widgets.read(frame) });
const root = document.getElementById('root');
// A part that cannot be drawn is shown as text; the error still belongs in the console.
if (root) {
  createRoot(root, { onCaughtError: (error) => reportError(error) }).render(
    <ChatApp client={client} files={new Files(client)} widgets={widgets} />,
  );
}
