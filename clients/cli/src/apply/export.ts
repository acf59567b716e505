import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Armature } from '@armature/client';
import { Failure } from '../failure.js';
import { isWithin } from '../folder.js';
import { count, toYaml } from '../output.js';
import type { Json } from '../records.js';
import type { Run } from '../run.js';
import { styled } from '../terminal.js';
import type { ListName, Session } from '../session.js';
import { API_VERSION } from './documents.js';
import { DOCUMENT_KINDS, isHidden } from './kinds.js';

/** Writes what an organization has as documents that apply reads: a file for each kind, what designs are made of beside them. */
export async function exportAll(run: Run, folder: string): Promise<void> {
  const session = await run.session();
  const writer = new Writer(session, folder);
  const documents = await writer.collect();
  await mkdir(folder, { recursive: true });
  const written: { file: string; documents: number }[] = [];
  for (const [index, { kind }] of DOCUMENT_KINDS.entries()) {
    const own = documents.filter((document) => document.kind === kind);
    if (own.length === 0) continue;
    const file = join(folder, `${String(index).padStart(2, '0')}-${kind.toLowerCase()}.yaml`);
    await writeFile(file, (await Promise.all(own.map(toYaml))).join('---\n'));
    written.push({ file, documents: own.length });
  }
  for (const warning of writer.warnings) run.terminal.say(styled('yellow', `! ${warning}`));
  run.terminal.say(
    `${count(documents.length, 'document')} without secrets in ${folder}: add them as {fromEnv: …} or {fromFile: …}.`,
  );
  await run.output.show(written, {
    table: (files) => files.map(({ file, documents: number }) => `${file}  ${number}`).join('\n'),
    name: (files) => files.map(({ file }) => `file/${file}`),
  });
}

interface Written {
  apiVersion: string;
  kind: string;
  metadata: Json;
  spec: Json;
}

class Writer {
  readonly warnings: string[] = [];
  private readonly documents: Written[] = [];
  private readonly folders = new Set<string>();
  /** Names of service accounts by their addresses. */
  private readonly accounts = new Map<string, string>();
  private connections: Json[] = [];
  private readonly armature: Armature;

  constructor(
    private readonly session: Session,
    private readonly folder: string,
  ) {
    this.armature = session.armature;
  }

  async collect(): Promise<Written[]> {
    const { id } = await this.session.requireOrganization();
    const organization = (await this.armature.getOrganization({ path: { orgId: id } })) as Json;
    const place = { organization: organization['name'] as string };
    this.add('Organization', { name: place.organization }, organization);
    const inOrganization = { path: { orgId: id } };
    for (const user of await this.all('listOrganizationUsers', inOrganization))
      if (user['kind'] === 'person') this.add('Member', { ...place, name: user['email'] as string }, user);
    for (const invited of await this.all('listInvitations', inOrganization))
      this.add('Member', { ...place, name: invited['email'] as string }, invited);
    const accounts = await this.all('listServiceAccounts', inOrganization);
    this.assertDistinct('service account', accounts);
    for (const account of accounts) {
      this.accounts.set(account['email'] as string, account['name'] as string);
      this.add('ServiceAccount', { ...place, name: account['name'] as string }, account);
    }
    for (const team of await this.all('listTeams', inOrganization)) {
      const members = await this.all('listTeamUsers', { path: { orgId: id, teamId: team['id'] as string } });
      this.add('Team', { ...place, name: team['name'] as string }, team, {
        members: members.map((user) => this.memberName(user)).sort(),
      });
    }
    const query = { query: { orgID: id } };
    const credentials = await this.all('listCredentials', query);
    this.assertDistinct('credential', credentials);
    for (const credential of credentials)
      this.add('Credential', { ...place, name: credential['name'] as string }, credential);
    const connections = await this.all('listConnections', query);
    this.assertDistinct('connection', connections);
    for (const connection of connections) {
      const credential = credentials.find((each) => each['id'] === connection['credential_id']);
      this.add(
        'Connection',
        { ...place, name: connection['name'] as string },
        connection,
        credential ? { credential: credential['name'] as string } : {},
      );
    }
    this.connections = connections;
    for (const webhook of await this.all('listOrganizationWebhooks', inOrganization))
      this.addWebhook(place, webhook, place.organization);
    await this.addEnvironments(place, await this.all('listEnvironments', query));
    await this.addWorkspaces(place, await this.all('listWorkspaces', query));
    return this.documents.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  private async addEnvironments(place: { organization: string }, environments: Json[]): Promise<void> {
    this.assertDistinct('environment', environments);
    for (const environment of environments) {
      const [id, name] = [environment['id'] as string, environment['name'] as string];
      this.warnIfArchived('environment', environment);
      const connections = await this.all('listEnvironmentConnections', { path: { environmentID: id } });
      this.add('Environment', { ...place, name }, environment, { connections: namesOf(connections) });
      for (const freeze of await this.all('listFreezes', { path: { id } }))
        this.add('Freeze', { ...place, environment: name, name: freeze['name'] as string }, freeze);
    }
  }

  private async addWorkspaces(place: { organization: string }, workspaces: Json[]): Promise<void> {
    this.assertDistinct('workspace', workspaces);
    for (const workspace of workspaces) {
      const [id, name] = [workspace['id'] as string, workspace['name'] as string];
      const path = { id };
      this.warnIfArchived('workspace', workspace);
      const teams = await this.all('listWorkspaceTeams', { path });
      this.add('Workspace', { ...place, name }, workspace, {
        environments: namesOf(await this.all('listWorkspaceEnvironments', { path })),
        teams: teams.map((team) => ({ name: team['name'] as string, role: team['role'] as string })),
      });
      const inside = { ...place, workspace: name };
      for (const member of await this.all('listWorkspaceMembers', { path }))
        if (member['granted'])
          this.add('Member', { ...inside, name: this.memberName(member) }, { role: member['granted'] as string });
      const quotas = (await this.armature.getWorkspaceQuotas({ path })) as Json;
      if (Object.values(quotas).some((quota) => typeof quota === 'number')) this.add('Quota', inside, quotas);
      for (const policy of await this.all('listPolicies', { path }))
        this.add('Policy', { ...inside, name: policy['name'] as string }, policy);
      for (const webhook of await this.all('listWorkspaceWebhooks', { path })) this.addWebhook(inside, webhook, name);
      await this.addFilters(inside, id);
      await this.addProfiles(inside, id);
      await this.addDesigns(inside, id);
    }
  }

  private warnIfArchived(kind: string, { name, status }: Json): void {
    if (status === 'archived')
      this.warnings.push(`the ${kind} ${name as string} is archived, which documents do not say`);
  }

  /** A service account by its name: its address is of this installation. */
  private memberName({ email }: Json): string {
    return this.accounts.get(email as string) ?? (email as string);
  }

  private addWebhook(place: Json, webhook: Json, owner: string): void {
    const url = webhook['url'] as string;
    if (!isHidden(url)) this.add('Webhook', place, webhook);
    else
      this.warnings.push(
        `the webhook ${url} of ${owner} is left out, for its URL has a key: write it with url: {fromEnv: ARMATURE_SECRET_…}`,
      );
  }

  private async addFilters(place: { organization: string; workspace: string }, workspaceId: string): Promise<void> {
    const filters = await this.all('listFilters', { query: { workspace_id: workspaceId } });
    this.assertDistinct('filter', filters);
    for (const filter of filters) {
      const name = filter['name'] as string;
      const { data } = await this.armature.request('GET', `/api/filter/download/${filter['id'] as string}`);
      const path = await this.writeSource(place.workspace, name, 'filter.wasm', data);
      this.add(
        'Filter',
        { ...place, name },
        { visibility: visibilityOf(filter), config: filter['filter_resource'] as unknown },
        {
          module: { fromFile: path },
        },
      );
    }
  }

  private async addProfiles(place: { organization: string; workspace: string }, workspaceId: string): Promise<void> {
    const profiles = await this.all('listPerformanceProfiles', { query: { workspace_id: workspaceId } });
    this.assertDistinct('performance profile', profiles);
    for (const { id } of profiles) {
      const profile: Json = await this.armature.getPerformanceProfile({ path: { id: id as string } });
      const name = profile['name'] as string;
      const metrics = this.connections.find((each) => each['id'] === profile['metrics_connection_id']);
      this.add(
        'PerformanceProfile',
        { ...place, name },
        profile,
        metrics ? { metrics_connection: metrics['name'] as string } : {},
      );
      if (hasValue(profile['request_headers']) || hasValue(profile['request_cookies']))
        this.warnings.push(`the performance profile ${name} is written without the values of its headers and cookies`);
    }
  }

  /** Writes what a record is made of beside the documents, and returns its path in the folder. */
  private async writeSource(workspace: string, name: string, file: string, data: unknown): Promise<string> {
    const path = ['sources', ...this.newFolder(partOf(workspace), partOf(name)), file];
    const target = join(this.folder, ...path);
    if (!isWithin(this.folder, target))
      throw new Failure(`${target} is outside of ${this.folder}`, 'Rename the record or its workspace.');
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await toBytes(data));
    return path.join('/');
  }

  private async addDesigns(place: { organization: string; workspace: string }, workspaceId: string): Promise<void> {
    const designs = await this.all('listDesigns', { query: { workspace_id: workspaceId } });
    this.assertDistinct('design', designs);
    for (const design of designs) {
      const [id, name] = [design['id'] as string, design['name'] as string];
      const { data, headers } = await this.armature.request('GET', `/api/pattern/download/${id}`, {
        query: { export: 'source' },
      });
      const file = fileName(headers) ?? `${partOf(name)}.yaml`;
      const path = await this.writeSource(place.workspace, name, file, data);
      this.documents.push({
        apiVersion: API_VERSION,
        kind: 'Design',
        metadata: { name, ...place },
        spec: {
          visibility: visibilityOf(design),
          source_content: { fromFile: path },
          file_name: file,
          ...(await this.settingsOf(design)),
        },
      });
    }
  }

  /** A folder for one design: some file systems take names for the same that differ in case. */
  private newFolder(workspace: string, design: string): [string, string] {
    const folder = [workspace, design] as [string, string];
    for (let count = 2; this.folders.has(folder.join('/').toLowerCase()); count += 1) folder[1] = `${design}~${count}`;
    this.folders.add(folder.join('/').toLowerCase());
    return folder;
  }

  /** What a chart was imported with. */
  private async settingsOf({ id, source_type: type }: Json): Promise<Json> {
    if (type !== 'helm') return {};
    const { parse } = await import('yaml');
    const { pattern_file: text } = await this.armature.getDesign({ path: { id: id as string } });
    const { metadata } = parse(text, { maxAliasCount: -1 }) as { metadata?: { helm?: Json } };
    const settings = Object.entries(metadata?.helm ?? {}) as [string, unknown][];
    return Object.fromEntries(settings.filter(([name, value]) => SETTINGS.has(name) && hasValue(value)));
  }

  /** The fields of a kind that a record has. */
  private add(kindName: string, metadata: Json, record: Json, references: Json = {}): void {
    const kind = DOCUMENT_KINDS.find(({ kind: each }) => each === kindName);
    const fields = (kind?.fields ?? []).filter((field) => hasValue(record[field]));
    const { name, ...rest } = metadata;
    this.documents.push({
      apiVersion: API_VERSION,
      kind: kindName,
      metadata: name === undefined ? rest : { name: name as string, ...rest },
      spec: { ...Object.fromEntries(fields.map((field) => [field, record[field] as unknown])), ...references },
    });
  }

  private async all(list: ListName, { path, query }: { path?: Record<string, string>; query?: Json }): Promise<Json[]> {
    const records: Json[] = [];
    for await (const record of this.session.list<Json>(list, { path, query: { ...query, pagesize: 500 } }))
      records.push(record);
    return records;
  }

  private assertDistinct(kind: string, records: readonly Json[]): void {
    const seen = new Map<string, Json>();
    for (const record of records) {
      const other = seen.get(record['name'] as string);
      if (other)
        throw new Failure(
          `several records of kind ${kind} have the name ${record['name'] as string}`,
          'Rename one of them first: documents have names, and no ids.',
          1,
          [other['id'] as string, record['id'] as string],
        );
      seen.set(record['name'] as string, record);
    }
  }
}

/** What a document of a chart says beside its content. */
const SETTINGS = new Set(['values', 'namespace', 'release_name']);

/** Exports of the same records are the same, whenever they were made. */
const orderOf = ({ metadata, spec }: Written): string =>
  JSON.stringify(
    [metadata['workspace'], metadata['environment'], metadata['name'], spec['url']].map((part: unknown) => part ?? ''),
  );

/** Publishing is asked for by itself. */
const visibilityOf = ({ visibility }: Json): string =>
  visibility === 'public' ? 'organization' : (visibility as string);

const hasValue = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

const namesOf = (records: readonly Json[]): string[] => records.map((record) => record['name'] as string).sort();

/** A name as one part of a path, which leads neither up nor to what is hidden, and which Windows can write. */
export function partOf(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll('*', '%2A');
  const part = encoded.replace(/^\.+/, (dots) => '%2E'.repeat(dots.length)).replace(/\.$/, '%2E') || '%20';
  return DEVICES.test(part) ? `%${part.charCodeAt(0).toString(16).toUpperCase()}${part.slice(1)}` : part;
}

/** Names that Windows has for devices, whatever extension follows. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const fileName = (headers: Headers): string | undefined => {
  const name = /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1];
  return name && partOf(name.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_'));
};

const toBytes = async (data: unknown): Promise<Uint8Array> =>
  data instanceof Blob
    ? new Uint8Array(await data.arrayBuffer())
    : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
