/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { createRoot } from 'react-dom/client';
import { Studio } from './studio.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<Studio />);
