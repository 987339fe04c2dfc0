import { expect, test } from 'vitest';
import { config, inFolder, problems } from './config-kit.ts';

inFolder();

// proves: surface.projects
test('a project has a bot with its own token and webhook', () => {
  const surfaces = '{ telegram: { allow: [1], webhook: "https://a.example" } }';
  const gateway = `surfaces: ${surfaces}\nprojects: [{ tenant: globex, project: support, surfaces: ${surfaces} }]\n`;
  const secrets = 'TELEGRAM_BOT_TOKEN: one\n';
  expect(problems({ 'gateway.yaml': gateway, 'secrets.yaml': secrets })).toEqual([
    expect.stringContaining('set globex/support/TELEGRAM_BOT_TOKEN in secrets.yaml'),
  ]);
  const both = `${secrets}globex/support/TELEGRAM_BOT_TOKEN: two\n`;
  const { telegram, projects } = config({ 'gateway.yaml': gateway, 'secrets.yaml': both });
  const webhookUrl = 'https://a.example/api/surfaces/telegram/webhook';
  expect(telegram).toMatchObject({ token: 'one', webhookUrl });
  expect(projects[0]?.telegram).toMatchObject({
    token: 'two',
    webhookUrl: `${webhookUrl}?project=globex/support`,
  });
});

// proves: surface.one-bot
test('two projects with one bot are refused, with both places and without the token', () => {
  const gateway = `surfaces: { telegram: { allow: [1] } }
projects:
- { tenant: globex, project: support, surfaces: { telegram: { allow: [2] } } }
- { tenant: globex, project: sales, surfaces: { telegram: { allow: [3], api: "http://telegram:8081" } } }
`;
  const secrets = (own: string, support: string, sales: string) => ({
    'gateway.yaml': gateway,
    'secrets.yaml': `TELEGRAM_BOT_TOKEN: "${own}"
globex/support/TELEGRAM_BOT_TOKEN: "${support}"
globex/sales/TELEGRAM_BOT_TOKEN: "${sales}"
`,
  });
  expect(problems(secrets('1:a', '2:b', '3:c'))).toEqual([]);
  const [problem = '', ...more] = problems(secrets('1:a', '2:b', ' 1:a'));
  expect(more).toEqual([]);
  expect(problem).toMatch(/^gateway.yaml:4: globex.sales.TELEGRAM_BOT_TOKEN is the same token as /);
  expect(problem).toContain('as TELEGRAM_BOT_TOKEN of gateway.yaml:1');
  expect(problem).toMatch(/sha256 begins with [0-9a-f]{8}\)/);
  expect(problem).toContain('create a bot with @BotFather and set globex/sales/TELEGRAM_BOT_TOKEN');
  expect(problem).not.toContain('1:a');
  expect(problems(secrets('1:a', '1:a', '1:a'))).toHaveLength(2);
});

test('projects without a token are not taken for one bot', () => {
  const gateway =
    'surfaces: { telegram: { allow: [1] } }\nprojects: [{ tenant: globex, project: support, surfaces: { telegram: { allow: [2] } } }]\n';
  const found = problems({ 'gateway.yaml': gateway });
  expect(found).toHaveLength(2);
  for (const each of found) expect(each).toContain('TELEGRAM_BOT_TOKEN in secrets.yaml');
});
