import { z } from 'zod';

/** `-` and digits: a group of Telegram has a negative number. */
const chat = z.union([z.int(), z.string().min(1)]).transform(String);
const agent = z
  .string()
  .regex(/^[^/\s]+\/[^/\s]+$/, 'write the agent as bundle/agent')
  .transform((name) => {
    const [bundle = '', id = ''] = name.split('/');
    return { bundle, agent: id };
  });
const allow = z.union(
  [z.literal('anyone'), z.array(chat).min(1)],
  'a list of chat ids, or anyone; the bot answers a chat that is not listed with its id',
);
const address = z.url({ protocol: /^https?$/, error: 'an address with https:// or http://' });

/** `surfaces` of gateway.yaml: messengers in which people write to agents. */
export const Surfaces = z.strictObject({
  telegram: z
    .strictObject({
      allow,
      agent: agent.optional(),
      /** Public address of this server. Absent: the server asks Telegram for messages. */
      webhook: address.optional(),
      /** A Bot API server of your own. */
      api: address.optional(),
    })
    .optional(),
});

export type TelegramConfig = {
  readonly token: string;
  readonly url: string;
  readonly webhookUrl: string | undefined;
  readonly allow: 'anyone' | ReadonlySet<string>;
  readonly bundle?: string;
  readonly agent?: string;
};

const telegramUrl = 'https://api.telegram.org';

type BotSource = {
  readonly secret: (name: string) => string | undefined;
  /** `<tenant>/<project>`; undefined: the installation's own. */
  readonly project?: string;
  readonly place: string;
  readonly problems: string[];
};

/** Undefined: no Telegram bot. A missing token is added to `problems`. */
export function toTelegram(
  settings: z.infer<typeof Surfaces>['telegram'],
  { secret, project, place, problems }: BotSource,
): TelegramConfig | undefined {
  if (!settings) return undefined;
  const name = 'TELEGRAM_BOT_TOKEN';
  const token = secret(project === undefined ? name : `${project}/${name}`) ?? '';
  if (token === '') {
    const where =
      project === undefined ? 'in secrets.yaml or in the environment' : 'in secrets.yaml';
    problems.push(`${place}: set ${project === undefined ? name : `${project}/${name}`} ${where}`);
  }
  const query = project === undefined ? '' : `?project=${project}`;
  const { webhook, api = telegramUrl } = settings;
  return {
    token,
    url: withoutSlash(api),
    webhookUrl: webhook && `${withoutSlash(webhook)}/api/surfaces/telegram/webhook${query}`,
    allow: settings.allow === 'anyone' ? 'anyone' : new Set(settings.allow),
    ...settings.agent,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
