/// <reference lib="dom" />
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { connect } from '../../../client/index.ts';
import { markdownLoading } from '../shared/markdown-loading.ts';
import { ChatApp } from './app/chat-app.tsx';
import { idInAddress } from './app/use-open-conversation.ts';
import { newConversation } from './composer/drafts.ts';
import { keepEarlyMessage } from './composer/early-message.ts';
import { loadLater } from './later/later.ts';
import { Files } from './server/conversation-files.ts';

markdownLoading();
loadLater();
const client = connect();
const root = document.getElementById('root');
// A part that cannot be drawn is shown as text; the error still belongs in the console.
if (root) {
  const page = <ChatApp client={client} files={new Files(client)} />;
  const options = { onCaughtError: (error: unknown) => reportError(error) };
  const draw = () => flushSync(() => createRoot(root, options).render(page));
  keepEarlyMessage(idInAddress() ?? newConversation, draw);
}
