import { defineConfig } from 'vitepress';

const pages = (folder: string, names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([file, text]) => ({ text, link: `/${folder}/${file}` }));

export default defineConfig({
  title: 'Timeloom',
  description: 'A timeline-first, multi-channel agent runtime with sandboxed execution.',
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: {
    // Pages contain tags that are not HTML.
    html: false,
    // Vue must not read braces in inline code; it skips those in blocks already.
    config: ({ renderer, utils }) => {
      renderer.rules.code_inline = (tokens, n) =>
        `<code v-pre>${utils.escapeHtml(tokens[n]?.content ?? '')}</code>`;
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide/1-first-conversation' },
      { text: 'Reference', link: '/reference/cli' },
      { text: 'API', link: '/reference/api/sdk' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: [
      {
        text: 'Seven steps',
        items: pages('guide', {
          '1-first-conversation': '1. A first conversation',
          '2-first-bundle': '2. Your first bundle',
          '3-approvals': '3. A tool that asks for approval',
          '4-programs': '4. Programs',
          '5-widget': '5. A widget',
          '6-knowledge': '6. Knowledge and sources',
          '7-going-live': '7. Going live',
        }),
      },
      {
        text: 'Guide',
        items: pages('guide', {
          examples: 'Examples',
          bundles: 'Writing a bundle',
          'more-sdk': 'More of the SDK',
          client: 'Clients',
          'clients/ai-sdk': 'useChat of the AI SDK',
          'clients/ag-ui': 'AG-UI clients',
          'clients/langgraph': 'Clients of LangGraph',
          'clients/mcp': 'MCP clients',
          'clients/a2a': 'A2A clients',
          'clients/openai': 'Clients of OpenAI',
          scanner: 'The channel scanner',
          serving: 'Serving',
          docker: 'Docker and AWS Fargate',
          'supply-chain': 'Supply chain',
        }),
      },
      {
        text: 'Reference',
        items: pages('reference', {
          cli: 'Commands',
          configuration: 'Configuration',
          models: 'Models',
          wire: 'HTTP and Socket.IO',
          endpoints: 'Endpoints of other protocols',
          channels: 'Channels',
          tools: 'Control tools',
          execution: 'Execution',
          attachments: 'Attachments',
          memory: 'Memory',
          mcp: 'MCP',
          supervisors: 'Supervisors',
          'scripted-models': 'Scripted models',
          faults: 'Faults',
        }),
      },
      {
        text: 'API',
        items: pages('reference/api', {
          sdk: 'timeloom/sdk',
          client: 'timeloom/client',
          'client-react': 'timeloom/client/react',
          'client-story': 'timeloom/client/story',
          testing: 'timeloom/testing',
          channels: 'timeloom/channels',
        }),
      },
      {
        text: 'Background',
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Glossary', link: '/glossary' },
          { text: 'Decisions', link: '/decisions/' },
          { text: 'Benchmarks', link: '/benchmarks' },
        ],
      },
    ],
  },
});
