import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope } from '../../../runtime/base/scope.ts';
import { startServe } from '../../tools/serve.ts';
import { openFirefox } from './firefox.ts';
import { type Protocol, Tab } from './tab.ts';
import { openWebKit } from './webkit.ts';

// proves: page.browsers

const shots = process.env['TIMELOOM_SHOTS'];
const desk = 'bundles/support-desk';
const browsers = [
  {
    ...{ name: 'Firefox', program: '/usr/bin/firefox-esr', open: openFirefox },
    packages: 'firefox-esr',
  },
  {
    ...{ name: 'WebKit', program: '/usr/bin/WebKitWebDriver', open: openWebKit },
    packages: 'webkit2gtk-driver xvfb',
  },
] as const;
type Walked = (typeof browsers)[number];

/**
 * The paths of people through the chat page, with pointer and keys, in Firefox and in WebKit. A browser that fails or is missing
 * does not keep the others from their paths. Ends with 1 when anything fails.
 */
async function main(): Promise<void> {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  for (const browser of browsers) {
    const { name, program, packages } = browser;
    try {
      if (!existsSync(program)) {
        throw new Error(`not installed; on Debian: sudo apt-get install ${packages}`);
      }
      await walkThrough(browser);
      process.stdout.write(`${name}: passed\n`);
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`${name}: failed: ${error instanceof Error ? error.message : error}\n`);
    }
  }
}

async function walkThrough({ name, program, open }: Walked): Promise<void> {
  await using owned = new Scope();
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-browsers-'));
  owned.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const server = owned.own(
    await startServe({
      TIMELOOM_DATA_DIR: folder,
      TIMELOOM_MODEL: `scripted:${desk}/script.yaml`,
      TIMELOOM_BUNDLES: `${desk}:bundles/research`,
      TIMELOOM_EXEC_MODE: 'off',
    }),
  );
  const protocol: Protocol = owned.own(await open(program));
  const tab = new Tab(protocol);
  await tab.open(server.url);
  for (const [path, walk] of Object.entries(paths)) {
    await walk(tab);
    if (shots !== undefined) {
      await tab.picture(join(shots, `${name}-${path.replaceAll(' ', '-')}.png`));
    }
    process.stdout.write(`${name}: ${path}\n`);
  }
}

const paths: Readonly<Record<string, (tab: Tab) => Promise<void>>> = {
  async 'a message is sent with Enter, and an approval is asked for'(tab) {
    await tab.see('#connection', 'connected');
    await tab.type('Please refund order A-1002, a wheel is broken.\n');
    await tab.see('#dock', 'Refund 289 EUR');
    await tab.see('#list .waits');
  },
  async 'something is added while the turn waits'(tab) {
    await tab.click('#text');
    await tab.type('And write to the customer.\n');
    await tab.see('.said[data-event=followup]', 'And write to the customer.');
  },
  async 'the approval is given, and the answer is shown'(tab) {
    await tab.click('#dock button[type=submit]', 'Allow');
    await tab.see('.answer', 'We refund 289 EUR');
    await tab.see('.decided', 'Allowed');
    await tab.see('.facts', 'tokens');
  },
  async 'the steps of the turn unfold'(tab) {
    await tab.click('.steps > summary');
    await tab.see('.step-list .tool', 'orders.refund');
  },
  async 'a suggestion is asked'(tab) {
    await tab.click('.suggestions button', 'Where is order A-1003?');
    await tab.see('.answer', 'is on its way');
  },
  async 'a draft and the conversation outlive a reload'(tab) {
    await tab.click('#text');
    await tab.type('half a thought');
    const address = String(await tab.read('location.href'));
    await tab.open('about:blank');
    await tab.open(address);
    await tab.see('.answer', 'is on its way');
    await tab.see('#text', 'half a thought');
  },
  async 'a question is changed and asked again in a copy'(tab) {
    await tab.click('[aria-label="Edit this question"]');
    await tab.see('.editor textarea');
    await tab.type(' Quickly.');
    await tab.click('.editor .primary', 'Ask again');
    await tab.see('.said', 'Where is order A-1003? Quickly.');
  },
  async 'a conversation is found by a word of its answer'(tab) {
    await tab.click('.search input');
    await tab.type('wheel');
    await tab.see('#list .row');
    await tab.type('zeppelin');
    await tab.see('#list .none', 'No conversation matches');
  },
  async 'a conversation is deleted from its menu'(tab) {
    await tab.open(String(await tab.read('location.origin')));
    await tab.see('#list .row');
    await tab.click('#list .row .icon-button');
    await tab.click('[role=menuitem]', 'Delete…');
    await tab.click('.dialog .dangerous', 'Delete');
    await tab.gone('.dialog');
  },
  async 'the keys are listed, and Escape closes them'(tab) {
    await tab.click('#scroll');
    await tab.type('?');
    await tab.see('dialog.keys', 'Redirect');
    await tab.type('\uE00C');
    await tab.gone('dialog.keys');
  },
};

await main();
