/// <reference lib="dom" />
import { createRoot } from 'react-dom/client';

/** The studio, which shows developers what a conversation is made of. */
function Studio() {
  return (
    <main>
      <h1>Studio</h1>
      <p>
        <a href="/">Chat</a>
      </p>
    </main>
  );
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<Studio />);
