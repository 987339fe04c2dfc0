import { useStream } from '@langchain/langgraph-sdk/react';
import { useState } from 'react';

export function Chat({ address }) {
  const [threadId, setThreadId] = useState(() => sessionStorage.getItem('thread'));
  const { interrupt, messages, submit } = useStream({
    apiUrl: address,
    assistantId: 'desk/main',
    messagesKey: 'messages',
    threadId,
    onThreadId: (id) => {
      sessionStorage.setItem('thread', id);
      setThreadId(id);
    },
    reconnectOnMount: true,
  });
  const allow = () => submit(undefined, { command: { resume: { allow: true } } });
  const send = () => submit({ messages: [{ type: 'human', content: 'Hello' }] });
  return (
    <main>
      {messages.map((message) => (
        <p key={message.id}>{message.content}</p>
      ))}
      {interrupt && (
        <button type="button" onClick={allow}>
          {interrupt.value.title}
        </button>
      )}
      <button type="button" onClick={send}>
        Send
      </button>
    </main>
  );
}
