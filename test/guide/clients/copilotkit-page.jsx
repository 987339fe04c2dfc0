import { CopilotChat, CopilotKitProvider } from '@copilotkit/react-core/v2';
import { createRoot } from 'react-dom/client';
import '@copilotkit/react-core/v2/styles.css';

createRoot(document.querySelector('#chat')).render(
  <CopilotKitProvider runtimeUrl="/api/copilotkit">
    <CopilotChat agentId="desk" />
  </CopilotKitProvider>,
);
