import { Suspense } from 'react';
import { tabs, useAddress } from '../data/address.ts';
import { lazyPart } from '../data/lazy-part.ts';
import { PromptTab } from './prompt-tab.tsx';
import type { TabProps } from './tab-props.ts';

const ReplyTab = lazyPart(() => import('./reply-tab.tsx'), 'ReplyTab');
const DiffTab = lazyPart(() => import('./diff-tab.tsx'), 'DiffTab');
const CacheTab = lazyPart(() => import('./cache-tab.tsx'), 'CacheTab');
const BlocksTab = lazyPart(() => import('./blocks-tab.tsx'), 'BlocksTab');
const TraceTab = lazyPart(() => import('./trace-tab.tsx'), 'TraceTab');
const ForksTab = lazyPart(() => import('./forks-tab.tsx'), 'ForksTab');

const names = {
  prompt: 'Prompt',
  reply: 'Reply',
  diff: 'Diff',
  cache: 'Cache',
  blocks: 'Blocks',
  trace: 'Trace',
  forks: 'Forks',
};

export function Inspector(props: TabProps) {
  const { address, to } = useAddress();
  return (
    <section className="inspector" aria-label="Inspector">
      <nav className="tabs" aria-label="Inspector">
        {tabs.map((tab) => (
          <a key={tab} href={to({ tab })} aria-current={address.tab === tab ? 'page' : undefined}>
            {names[tab]}
          </a>
        ))}
      </nav>
      <Suspense fallback={<p role="status">Loading…</p>}>
        <Tab {...props} />
      </Suspense>
    </section>
  );
}

function Tab(props: TabProps) {
  const { address } = useAddress();
  switch (address.tab) {
    case 'prompt':
      return <PromptTab {...props} />;
    case 'reply':
      return <ReplyTab {...props} />;
    case 'diff':
      return <DiffTab {...props} />;
    case 'cache':
      return <CacheTab {...props} />;
    case 'blocks':
      return <BlocksTab {...props} />;
    case 'trace':
      return <TraceTab {...props} />;
    case 'forks':
      return <ForksTab {...props} />;
  }
}
