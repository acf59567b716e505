import { Armature, type ArmatureOptions, type ProfileView } from '@armature/client';
import { Failure, WrongUse } from './failure.js';
import { type Context, originOf, type Settings } from './settings.js';
import { useOwnTransport } from './transport.js';

/** A record that has a name. */
export interface Named {
  id: string;
  name: string;
}

const RENEW_BEFORE_MS = 60_000;
const MOST_CHOICES = 100;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (text: string): boolean => UUID.test(text);

/** A signed-in caller on one server: the client library, and the records that names stand for. */
export class Session {
  private profile: Promise<ProfileView> | undefined;
  private organization: Promise<Named | null> | undefined;
  private workspace: Promise<Named> | undefined;

  private constructor(
    readonly armature: Armature,
    private readonly settings: Settings,
  ) {}

  /** @throws Failure without a token that was made for this server */
  static async open(settings: Settings): Promise<Session> {
    const token = tokenSource(settings);
    return new Session(await connect(settings, token), settings);
  }

  getProfile(): Promise<ProfileView> {
    return (this.profile ??= this.armature.getProfile());
  }

  /** The id of the chosen organization; undefined leaves it to the server. */
  async organizationId(): Promise<string | undefined> {
    const { organization } = this.settings;
    if (organization === undefined || isId(organization)) return organization;
    return (await this.chosenOrganization())?.id;
  }

  /** The organization that calls are about, also where nothing chose one. @throws Failure where it cannot be known */
  async requireOrganization(): Promise<Named> {
    const chosen = await this.chosenOrganization();
    if (chosen) return chosen;
    const { organizations, default_organization_id: preset } = await this.getProfile();
    const only = organizations.length === 1 ? organizations[0] : organizations.find(({ id }) => id === preset);
    if (only) return only;
    throw new Failure(
      organizations.length === 0 ? 'this account is in no organization' : 'this account is in several organizations',
      'Choose one with "armature organization use NAME" or --organization.',
      1,
      organizations.map(({ id, name }) => `${id}  ${name}`),
    );
  }

  async resolveOrganization(text: string): Promise<Named> {
    const { organizations } = await this.getProfile();
    const own = organizations.filter(({ id, name }) => (isId(text) ? id === text.toLowerCase() : name === text));
    return own.length > 0 ? only('organization', text, own) : this.find('organization', text, 'listOrganizations');
  }

  private chosenOrganization(): Promise<Named | null> {
    const { organization } = this.settings;
    return (this.organization ??=
      organization === undefined ? Promise.resolve(null) : this.resolveOrganization(organization));
  }

  /** The id of the chosen workspace; undefined where none is. */
  async workspaceId(): Promise<string | undefined> {
    const { workspace } = this.settings;
    if (workspace === undefined || isId(workspace)) return workspace;
    return (await this.requireWorkspace()).id;
  }

  /** The workspace that calls are about, also where nothing chose one. @throws Failure where it cannot be known */
  requireWorkspace(): Promise<Named> {
    const { workspace } = this.settings;
    return (this.workspace ??= workspace === undefined ? this.findOnlyWorkspace() : this.resolveWorkspace(workspace));
  }

  async resolveWorkspace(text: string): Promise<Named> {
    if (isId(text)) return this.armature.getWorkspace({ path: { id: text } });
    const { id } = await this.requireOrganization();
    return this.find('workspace', text, 'listWorkspaces', { query: { orgID: id } });
  }

  private async findOnlyWorkspace(): Promise<Named> {
    const { id: orgID, name } = await this.requireOrganization();
    const { workspaces } = await this.armature.listWorkspaces({ query: { orgID, pagesize: MOST_CHOICES } });
    const active = workspaces.filter(({ status }) => status === 'active');
    const [first] = active;
    if (!first)
      throw new Failure(
        `this account has no workspace in ${name}`,
        'Make one with "armature create workspace NAME", or ask an admin of a workspace to add you.',
      );
    if (active.length === 1) return first;
    throw new Failure(
      `this account has several workspaces in ${name}`,
      'Choose one with "armature workspace use NAME" or --workspace.',
      1,
      active.map((workspace) => `${workspace.id}  ${workspace.name}`),
    );
  }

  async resolveEnvironment(text: string): Promise<Named> {
    if (isId(text)) return this.armature.getEnvironment({ path: { id: text } });
    return this.find('environment', text, 'listEnvironments', { query: { orgID: await this.organizationId() } });
  }

  /** A design of the chosen workspace, else of the organization. */
  async resolveDesign(text: string): Promise<Named> {
    if (isId(text)) return this.armature.getDesign({ path: { id: text } });
    const query = { orgID: await this.organizationId(), workspace_id: await this.workspaceId() };
    return this.find('design', text, 'listDesigns', { query });
  }

  /** The only record with a name, or with the id. @throws Failure when there is none, or several */
  async find(kind: string, text: string, list: ListName, options: ListOptions = {}): Promise<Named> {
    return only(kind, text, await this.findAll(text, list, options));
  }

  /** All records with exactly this name or id. */
  async findAll<T extends Named = Named>(text: string, list: ListName, options: ListOptions = {}): Promise<T[]> {
    const wanted = normalize(text);
    const query = { ...options.query, search: wanted, pagesize: 100 };
    const found: T[] = [];
    for await (const record of this.list<T>(list, { ...options, query }))
      if (normalize(record.name) === wanted || record.id === text.toLowerCase()) found.push(record);
    return found;
  }

  /** All records of a list, page after page. */
  list<T>(list: ListName, options: ListOptions = {}): AsyncIterable<T> {
    return this.armature.paginate(list, options as never) as unknown as AsyncIterable<T>;
  }
}

export type ListName = Parameters<Armature['paginate']>[0];

export interface ListOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
}

const normalize = (name: string): string => name.normalize('NFC').trim();

/** The only one of records. @throws Failure when there is none, or several, with their ids */
export function only<T extends Named>(kind: string, text: string, found: readonly T[]): T {
  const [first] = found;
  if (first && found.length === 1) return first;
  if (!first) throw new Failure(`there is no ${kind} ${text}`, `List them with "armature list ${kind}".`);
  throw new Failure(
    `several records of kind ${kind} have the name ${text}`,
    'Use the id of one of them.',
    1,
    found.map(({ id, name }) => `${id}  ${name}`),
  );
}

/** The client library for a server. */
export async function connect(
  settings: Settings,
  token: string | (() => Promise<string | undefined>) | undefined,
  options: Pick<ArmatureOptions, 'timeout' | 'maxRetries'> = {},
): Promise<Armature> {
  await useOwnTransport(settings);
  // An empty token is none: the library would take one of the environment.
  return new Armature({ baseUrl: settings.server, token: token ?? '', ...options });
}

/** @throws Failure when there is no token, or one of another server only */
function tokenSource(settings: Settings): () => Promise<string | undefined> {
  const { givenToken, server, context } = settings;
  if (givenToken !== undefined) return () => Promise.resolve(givenToken);
  if (!context?.token)
    throw new Failure(`nobody is signed in on ${server}`, 'Sign in with "armature login", or set ARMATURE_TOKEN.');
  if (!settings.isOfContext)
    throw new Failure(
      `the saved token is for ${originOf(context.server)}, and is not sent to ${originOf(server)}`,
      'Sign in there with "armature login", choose its context with --context, or set ARMATURE_TOKEN.',
    );
  return () => freshToken(settings);
}

const endsSoon = ({ expires_at: end }: Context): boolean =>
  end !== undefined && Date.parse(end) - Date.now() < RENEW_BEFORE_MS;

/** The token of the context, renewed before it ends. A refresh token is used once: other programs wait for what it brings. */
async function freshToken(settings: Settings): Promise<string | undefined> {
  const { context, contextName, store } = settings;
  if (!context || contextName === null) return undefined;
  if (!context.refresh_token || !endsSoon(context)) return context.token;
  return store.update(async ({ contexts }) => {
    const held = contexts[contextName];
    if (held?.refresh_token && originOf(held.server) === originOf(context.server)) {
      if (endsSoon(held)) Object.assign(held, await refresh(settings, held.refresh_token));
      Object.assign(context, held);
    }
    return context.token;
  });
}

/** Below the time after which the lock of the file counts as left behind. */
const REFRESH_TIMEOUT_MS = 12_000;

/** Exchanges a refresh token; once, since a second try of the same token ends the session. */
export async function refresh(settings: Settings, refreshToken: string): Promise<Required<Tokens>> {
  const armature = await connect(settings, undefined, { timeout: REFRESH_TIMEOUT_MS, maxRetries: 0 });
  return toTokens(await armature.refreshToken({ body: { refresh_token: refreshToken } }));
}

type Tokens = Pick<Context, 'token' | 'refresh_token' | 'expires_at'>;

/** What is kept of a sign-in. */
export const toTokens = (tokens: {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}): Required<Tokens> => ({
  token: tokens.access_token,
  refresh_token: tokens.refresh_token,
  expires_at: new Date(Date.now() + tokens.expires_in * 1000).toISOString(),
});

/** @throws WrongUse without the environment that a command needs */
export function requireText(value: string | undefined, flag: string): string {
  if (value) return value;
  throw new WrongUse(`${flag} is missing`, `Name it with ${flag} NAME.`);
}
