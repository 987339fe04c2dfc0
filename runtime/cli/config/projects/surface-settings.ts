import { createHash } from 'node:crypto';
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

type Served = {
  /** Absent: the installation's own. */
  readonly tenant?: string;
  readonly project?: string;
  readonly surfaces?: z.infer<typeof Surfaces> | undefined;
};
type Sources = {
  readonly secret: (name: string) => string | undefined;
  place(name: 'gateway.yaml', path: readonly (string | number)[]): string;
  readonly problems: string[];
};

/**
 * The Telegram bot of the installation's own project, and of each one of `projects`. Missing tokens, and bots that two
 * projects have, are added to `problems`.
 */
export function toBots(
  served: readonly Served[],
  sources: Sources,
): readonly (TelegramConfig | undefined)[] {
  const places = new Map<string, string>();
  return served.map(({ tenant, project, surfaces }, index) => {
    const { telegram } = surfaces ?? {};
    if (!telegram) return undefined;
    const isOwn = project === undefined;
    const name = isOwn ? undefined : `${tenant}/${project}`;
    const path = isOwn ? [] : ['projects', index - 1];
    const place = sources.place('gateway.yaml', [...path, 'surfaces', 'telegram']);
    const bot = toTelegram(telegram, { ...sources, project: name, place });
    checkOwner(bot, { ...sources, project: name, place, places });
    return bot;
  });
}

type BotSource = Omit<Sources, 'place'> & {
  /** `<tenant>/<project>`; undefined: the installation's own. */
  readonly project: string | undefined;
  readonly place: string;
};

/** A missing token is added to `problems`. */
function toTelegram(
  { webhook, api = telegramUrl, allow, agent }: NonNullable<z.infer<typeof Surfaces>['telegram']>,
  { secret, project, place, problems }: BotSource,
): TelegramConfig {
  const name = tokenName(project);
  const token = secret(name)?.trim() ?? '';
  if (token === '') {
    const where =
      project === undefined ? 'in secrets.yaml or in the environment' : 'in secrets.yaml';
    problems.push(`${place}: set ${name} ${where}`);
  }
  const query = project === undefined ? '' : `?project=${project}`;
  return {
    token,
    url: withoutSlash(api),
    webhookUrl: webhook && `${withoutSlash(webhook)}/api/surfaces/telegram/webhook${query}`,
    allow: allow === 'anyone' ? 'anyone' : new Set(allow),
    ...agent,
  };
}

/** Telegram gives an update only once: two projects with one bot would take messages from each other. */
function checkOwner(
  { token }: TelegramConfig,
  { project, place, places, problems }: BotSource & { readonly places: Map<string, string> },
): void {
  if (token === '') return;
  const name = tokenName(project);
  const first = places.get(token);
  if (first === undefined) {
    places.set(token, `${name} of ${place}`);
    return;
  }
  const digest = createHash('sha256').update(token).digest('hex').slice(0, 8);
  const what = `${name} is the same token as ${first} (its sha256 begins with ${digest})`;
  const fix = `create a bot with @BotFather and set ${name} to its token, or remove surfaces.telegram from one of the two`;
  problems.push(`${place}: ${what}; each project needs its own bot: ${fix}`);
}

function tokenName(project: string | undefined): string {
  const name = 'TELEGRAM_BOT_TOKEN';
  return project === undefined ? name : `${project}/${name}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
