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
    for (const team of await this.all('listTeams', inOrganization)) {
      const members = await this.all('listTeamUsers', { path: { orgId: id, teamId: team['id'] as string } });
      this.add('Team', { ...place, name: team['name'] as string }, team, {
        members: members.map((user) => user['email'] as string),
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
    await this.addEnvironments(place, await this.all('listEnvironments', query));
    await this.addWorkspaces(place, await this.all('listWorkspaces', query));
    return this.documents.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  private async addEnvironments(place: { organization: string }, environments: Json[]): Promise<void> {
    this.assertDistinct('environment', environments);
    for (const environment of environments) {
      const [id, name] = [environment['id'] as string, environment['name'] as string];
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
      const teams = await this.all('listWorkspaceTeams', { path });
      this.add('Workspace', { ...place, name }, workspace, {
        environments: namesOf(await this.all('listWorkspaceEnvironments', { path })),
        teams: teams.map((team) => ({ name: team['name'] as string, role: team['role'] as string })),
      });
      const inside = { ...place, workspace: name };
      for (const member of await this.all('listWorkspaceMembers', { path }))
        if (member['granted'])
          this.add('Member', { ...inside, name: member['email'] as string }, { role: member['granted'] as string });
      const quotas = (await this.armature.getWorkspaceQuotas({ path })) as Json;
      if (Object.values(quotas).some((quota) => typeof quota === 'number')) this.add('Quota', inside, quotas);
      for (const policy of await this.all('listPolicies', { path }))
        this.add('Policy', { ...inside, name: policy['name'] as string }, policy);
      for (const webhook of await this.all('listWorkspaceWebhooks', { path })) {
        const url = webhook['url'] as string;
        if (!isHidden(url)) this.add('Webhook', inside, webhook);
        else
          this.warnings.push(
            `the webhook ${url} of ${name} is left out, for its URL has a key: write it with url: {fromEnv: ARMATURE_SECRET_…}`,
          );
      }
      await this.addDesigns(inside, id);
    }
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
      const path = ['sources', partOf(place.workspace), partOf(name), file];
      const target = join(this.folder, ...path);
      if (!isWithin(this.folder, target))
        throw new Failure(`${target} is outside of ${this.folder}`, 'Rename the design or its workspace.');
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, await toBytes(data));
      const visibility = design['visibility'] === 'public' ? 'organization' : (design['visibility'] as string);
      this.documents.push({
        apiVersion: API_VERSION,
        kind: 'Design',
        metadata: { name, ...place },
        spec: {
          visibility,
          source_content: { fromFile: path.join('/') },
          file_name: file,
          ...(await this.settingsOf(design)),
        },
      });
    }
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
const orderOf = ({ metadata }: Written): string =>
  JSON.stringify([metadata['workspace'] ?? '', metadata['environment'] ?? '', metadata['name'] ?? '']);

const hasValue = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

const namesOf = (records: readonly Json[]): string[] => records.map((record) => record['name'] as string).sort();

/** A name as one part of a path, which leads neither up nor to what is hidden. */
export const partOf = (name: string): string =>
  encodeURIComponent(name).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length)) || '%20';

const fileName = (headers: Headers): string | undefined => {
  const name = /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1];
  return name?.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
};

const toBytes = async (data: unknown): Promise<Uint8Array> =>
  data instanceof Blob
    ? new Uint8Array(await data.arrayBuffer())
    : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
