import { serve } from '@hono/node-server';
import { build } from 'esbuild';

/**
 * `node serve-page.mjs SERVER FOLDER`: bundles and serves the page of CopilotKit and its runtime in a folder, with the packages there.
 * Writes its port. Ends with its parent.
 */
const [server, folder] = process.argv.slice(2);
const bundle = async (entry, options) => {
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], bundle: true, format: 'esm', write: false, outdir: folder },
    ...{ jsx: 'automatic', logLevel: 'silent', ...options },
  });
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
};
const loader = Object.fromEntries(
  ['.woff', '.woff2', '.ttf', '.svg', '.png'].map((end) => [end, 'dataurl']),
);
const define = { 'process.env.NODE_ENV': '"production"' };
const { script, style } = await bundle(`${folder}/copilotkit-page.jsx`, {
  platform: 'browser',
  define,
  loader,
});
const { createHandler } = await import(`${folder}/copilotkit-runtime.mjs`);
const answer = createHandler(server);

const html = `<!doctype html><html><head><style>${style}</style></head>
<body><div id="chat" style="height:90vh"></div><script type="module" src="/page.js"></script></body></html>`;
const files = { '/': [html, 'text/html'], '/page.js': [script, 'text/javascript'] };
const listening = serve(
  {
    port: 0,
    fetch(request) {
      const file = files[new URL(request.url).pathname];
      if (!file) return answer(request);
      return new Response(file[0], { headers: { 'content-type': `${file[1]}; charset=utf-8` } });
    },
  },
  ({ port }) => process.stdout.write(`${port}\n`),
);
process.stdin
  .on('end', () => {
    listening.close();
    process.exit(0);
  })
  .resume();
