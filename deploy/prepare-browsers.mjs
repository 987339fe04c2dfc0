import { installDebian } from './steps.mjs';

/** Installs the browsers of `npm run test:long browsers`, which no other test uses. */
const missing = installDebian([
  { name: 'chromium', file: 'chromium' },
  { name: 'firefox-esr', file: 'firefox-esr' },
  { name: 'webkit2gtk-driver', file: 'WebKitWebDriver' },
  { name: 'xvfb', file: 'xvfb-run' },
]);
process.exit(missing.length > 0 ? 1 : 0);
