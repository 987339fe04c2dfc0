import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';

const transport = new DefaultChatTransport({
  api: '/api/ai/dev/dev/desk/main',
  // The server has the conversation: the last message is enough.
  prepareSendMessagesRequest: ({ id, messages, body }) => ({
    body: { ...body, id, message: messages.at(-1) },
  }),
});

// Parts keep their place in a message.
const keyOf = (part, at) => `${part.type} ${at}`;

export function Chat({ id }) {
  const [text, setText] = useState('');
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat({
    id,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <main>
      {messages.map((message) => (
        <section key={message.id}>
          <h2>{message.role}</h2>
          {message.parts.map((part, at) => (
            <Part key={keyOf(part, at)} part={part} decide={addToolApprovalResponse} />
          ))}
        </section>
      ))}
      <output>{error ? error.message : status}</output>
      <input value={text} onChange={(event) => setText(event.target.value)} />
      <button type="button" onClick={() => sendMessage({ text })}>
        Send
      </button>
    </main>
  );
}

function Part({ part, decide }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <details>{part.text}</details>;
  if (part.type !== 'dynamic-tool') return null;
  return (
    <div>
      {`${part.toolName} ${part.state}`}
      {part.state === 'approval-requested' && (
        <button type="button" onClick={() => decide({ id: part.approval.id, approved: true })}>
          {`Allow: ${part.approval.requestReason}`}
        </button>
      )}
    </div>
  );
}
