import { ArmatureError, toFile, type WrittenDesignView } from '@armature/client';
import { EXIT, exitCodeOf, Failure, faultLine, toFailure } from '../failure.js';
import type { Json } from '../records.js';
import type { ListName, Session } from '../session.js';
import { parseYaml } from '../yaml.js';
import { type Document, Fault } from './documents.js';
import { DOCUMENT_KINDS, type DocumentKind, isEqual, isHidden, isShownAs, kindOfDocument } from './kinds.js';
import { isReference, References } from './secrets.js';

/** A record that is there, or that this run makes. */
export interface Ref {
  kind: string;
  name: string;
  id: string | null;
  /** A credential without a secret, which cannot be made: what refers to it is made without it. */
  isLeftOut?: boolean;
}

export interface Change {
  path: string;
  from?: unknown;
  to?: unknown;
}

export type StepAction = 'create' | 'update' | 'delete' | 'unchanged';

/** What becomes of one record. */
export interface Step {
  action: StepAction;
  kind: string;
  name: string;
  organization: string | null;
  workspace: string | null;
  environment: string | null;
  changes: Change[];
  /** Variables and files whose content is sent. */
  reads: string[];
  /** Whether secrets are sent though nothing else changes: which ones the server has is not known. */
  sendsSecrets: boolean;
  run: () => Promise<void>;
}

interface Owners {
  organization: Ref | null;
  workspace: Ref | null;
  environment: Ref | null;
}

/** A change of what belongs to a record beside its fields: calls to make, when ids are known. */
interface LinkChange extends Change {
  run: (own: string) => Promise<unknown>;
}

/** Whether an error is about a document: rights and a server that is away are not. */
const isFault = (error: unknown): boolean =>
  error instanceof Fault ||
  error instanceof Failure ||
  (error instanceof ArmatureError &&
    error.problem !== undefined &&
    [400, 404, 409].includes(error.status) &&
    exitCodeOf(error.status, error.code) === EXIT.failed);

/** Documents in the order in which their records need one another: members of a workspace come after it. */
function inOrder(documents: readonly Document[]): { kind: DocumentKind; document: Document }[] {
  const rank = ({ kind, metadata }: Document): number => {
    const isMember = kind === 'Member' && metadata.workspace !== undefined;
    return DOCUMENT_KINDS.findIndex((each) => each.kind === (isMember ? 'Workspace' : kind)) + (isMember ? 0.5 : 0);
  };
  return [...documents]
    .sort((a, b) => rank(a) - rank(b))
    .map((document) => ({ kind: kindOfDocument(document.kind, document.metadata), document }));
}

/** Compares documents with the records of a server. Everything is read and checked before anything is written. */
export class Planner {
  readonly faults: string[] = [];
  readonly warnings: string[] = [];
  readonly invitations: { email: string; role: string; url: string }[] = [];
  /** Records that documents are about. */
  private readonly claimed = new Set<string>();
  private readonly refs = new Map<string, Ref>();
  private readonly lists = new Map<string, Promise<Json[]>>();

  constructor(
    private readonly session: Session,
    private readonly env: NodeJS.ProcessEnv,
    private readonly folder: string | null,
    private readonly allowedVariables: readonly string[],
  ) {}

  async plan(documents: readonly Document[], prune: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    const kept = new Map<
      string,
      { kind: DocumentKind; owner: Ref; owners: Owners; ids: Set<string>; isNamed: boolean }
    >();
    for (const { kind, document } of inOrder(documents))
      try {
        const owners = await this.ownersOf(kind, document);
        const { step, id, owner } = await this.planDocument(kind, document, owners);
        steps.push(step);
        if (!owner?.id) continue;
        const key = `${kind.kind} ${owner.id}`;
        const held = kept.get(key) ?? { kind, owner, owners, ids: new Set(), isNamed: false };
        kept.set(key, held);
        if (id) held.ids.add(id);
        // What a context or the server chose is not of the files.
        held.isNamed ||= document.metadata[owner.kind.toLowerCase() as 'organization'] !== undefined;
      } catch (error) {
        if (!isFault(error)) throw error;
        const { message, lines } = toFailure(error, undefined);
        this.faults.push(
          `${document.place}: ${[document.kind, document.metadata.name].join(' ').trim()}: ${message}`,
          ...lines.map((line) => `  ${line}`),
        );
      }
    if (!prune || this.faults.length > 0) return steps;
    const deletions: Step[] = [];
    for (const { kind, owner, owners, ids, isNamed } of kept.values())
      if (isNamed) deletions.push(...(await this.planPruning(kind, owner, owners, ids)));
      else if (kind.delete)
        this.warnings.push(
          `nothing of kind ${kind.kind} is deleted in ${owner.name}, which no document of the kind names: add metadata.${owner.kind.toLowerCase()}`,
        );
    const order = (step: Step): number => DOCUMENT_KINDS.findIndex(({ kind }) => kind === step.kind);
    return [...steps, ...deletions.sort((a, b) => order(b) - order(a))];
  }

  // What documents belong to.

  private async ownersOf({ scope, kind }: DocumentKind, { metadata }: Document): Promise<Owners> {
    const owners: Owners = { organization: null, workspace: null, environment: null };
    if (scope === 'installation') return owners;
    owners.organization = await this.organization(metadata.organization);
    if (scope === 'workspace' || (kind === 'Member' && metadata.workspace !== undefined))
      owners.workspace = await this.workspace(
        owners.organization,
        kind === 'Quota' ? (metadata.workspace ?? (metadata.name || undefined)) : metadata.workspace,
      );
    if (scope === 'environment') {
      if (metadata.environment === undefined) throw new Fault('metadata.environment is missing');
      owners.environment = await this.find('Environment', metadata.environment, owners.organization);
    }
    return owners;
  }

  private async organization(name: string | undefined): Promise<Ref> {
    if (name !== undefined) {
      const held = this.refs.get(keyOf('Organization', null, name));
      if (held) return held;
    }
    const found =
      name === undefined ? await this.session.requireOrganization() : await this.session.resolveOrganization(name);
    return { kind: 'Organization', name: found.name, id: found.id };
  }

  private async workspace(organization: Ref, name: string | undefined): Promise<Ref> {
    if (name !== undefined) return this.find('Workspace', name, organization);
    const { id, name: own } = await this.session.requireWorkspace();
    return { kind: 'Workspace', name: own, id };
  }

  /** A record by its name: of the documents, else of the server. */
  private async find(kindName: string, name: string, owner: Ref): Promise<Ref> {
    const held = this.refs.get(keyOf(kindName, owner, name));
    if (held) return held;
    const kind = DOCUMENT_KINDS.find((each) => each.kind === kindName) as DocumentKind;
    const record = await this.findRecord(kind, owner, name);
    if (!record) throw new Fault(`there is no ${kind.record} ${name}, neither here nor in the files`);
    return { kind: kindName, name, id: record['id'] as string };
  }

  private async findRecord(kind: DocumentKind, owner: Ref | null, name: string): Promise<Json | null> {
    const wanted = name.normalize('NFC').trim();
    const found = (await this.list(kind, owner)).filter((record) => isShownAs(wanted, (kind.nameOf ?? nameOf)(record)));
    if (found.length > 1)
      throw new Fault(`several records have this name: ${found.map((record) => record['id'] as string).join(', ')}`);
    return found[0] ?? null;
  }

  /** All records of a kind that belong to an owner; none of an owner that is not made yet. */
  private list({ list, scope, ownerParameter }: DocumentKind, owner: Ref | null): Promise<Json[]> {
    if (!list || (owner && owner.id === null)) return Promise.resolve([]);
    const key = `${list} ${owner?.id ?? ''}`;
    const query =
      scope === 'organization' ? { orgID: owner?.id } : scope === 'workspace' ? { workspace_id: owner?.id } : {};
    return this.memo(key, list, ownerParameter ? { path: { [ownerParameter]: owner?.id ?? '' } } : { query });
  }

  private memo(key: string, list: ListName, options: { path?: Record<string, string>; query?: Json }): Promise<Json[]> {
    const held = this.lists.get(key);
    if (held) return held;
    const reading = this.readAll(list, options);
    this.lists.set(key, reading);
    return reading;
  }

  private async readAll(
    list: ListName,
    { path, query }: { path?: Record<string, string>; query?: Json },
  ): Promise<Json[]> {
    const records: Json[] = [];
    for await (const record of this.session.list<Json>(list, { path, query: { ...query, pagesize: 500 } }))
      records.push(record);
    return records;
  }

  // What becomes of them.

  private async planDocument(
    kind: DocumentKind,
    document: Document,
    owners: Owners,
  ): Promise<{ step: Step; id: string | null; owner: Ref | null }> {
    const references = new References(this.env, this.folder, this.allowedVariables);
    const { url } = document.spec;
    const name = kind.kind === 'Webhook' ? await urlOf(url, references) : document.metadata.name;
    const owner = ownerOf(owners);
    const ref: Ref = { kind: kind.kind, name, id: null };
    const key = keyOf(kind.kind, owner, name);
    if (this.refs.has(key)) throw new Fault('the files have it twice');
    this.refs.set(key, ref);
    this.assertFields(kind, document.spec);
    const step: Step = {
      action: 'unchanged',
      kind: kind.kind,
      name: kind.kind === 'Quota' ? (owner?.name ?? '') : isReference(url) ? `${new URL(name).origin}/…` : name,
      organization: owners.organization?.name ?? null,
      workspace: owners.workspace?.name ?? null,
      environment: owners.environment?.name ?? null,
      changes: [],
      reads: [],
      sendsSecrets: false,
      run: () => Promise.resolve(),
    };
    if (kind.kind === 'Member') await this.planMember(step, document, owners, references);
    else if (kind.kind === 'Quota') await this.planQuota(step, document, owner as Ref);
    else if (kind.kind === 'Design') await this.planDesign(step, document, owner as Ref, ref, references);
    else if (kind.kind === 'Filter') await this.planFilter(step, kind, document, owner as Ref, ref, references);
    else await this.planRecord(step, kind, document, owners, ref, references);
    step.reads = [...references.read];
    return { step, id: ref.id, owner };
  }

  private assertFields({ fields, secrets = [], references = [] }: DocumentKind, spec: Json): void {
    const known = [...fields, ...secrets, ...references];
    const unknown = Object.keys(spec).filter((field) => !known.includes(field));
    if (unknown.length > 0) throw new Fault(`spec.${unknown.join(', spec.')} is unknown: it takes ${known.join(', ')}`);
  }

  private async planRecord(
    step: Step,
    kind: DocumentKind,
    { spec }: Document,
    owners: Owners,
    ref: Ref,
    references: References,
  ): Promise<void> {
    const { name } = ref;
    const owner = ownerOf(owners);
    const found = await this.findRecord(kind, owner, name);
    ref.id = (found?.['id'] as string | undefined) ?? null;
    const record = found && kind.get ? await this.call(kind.get, { path: { id: ref.id } }) : found;
    if (ref.id && this.claimed.has(ref.id))
      throw new Fault('the files have it twice: only the keys of the URLs differ');
    if (ref.id) this.claimed.add(ref.id);
    const secrets = await this.readSecrets(kind, spec, references);
    // A URL that has a key is a secret: which one the server has is not known.
    if (kind.kind === 'Webhook' && (isReference(spec['url']) || isHidden(String(record?.['url']))))
      secrets['url'] = name;
    if (record && 'url' in secrets) step.name = record['url'] as string;
    const wanted = Object.fromEntries(
      kind.fields
        .filter((field) => field in spec && !(field in secrets))
        .map((field) => [field, spec[field] as unknown]),
    );
    const links = await this.planLinks(kind, spec, owner, record);
    if (!record && kind.kind === 'Credential' && spec['secret'] === undefined) {
      ref.isLeftOut = true;
      this.warnings.push(`credential ${name} is not made, for it has no secret: add spec.secret`);
      return;
    }
    const other = await this.findOther(kind, spec, owners);
    const nameField = kind.kind === 'Webhook' ? {} : { name };
    if (!record) {
      step.action = 'create';
      step.changes = [...toChanges(wanted), ...(other ? [{ path: other.path, to: other.ref.name }] : []), ...links];
      step.run = async () => {
        const place = kind.ownerParameter ? {} : placeOf(kind, owner);
        const body = {
          ...nameField,
          ...wanted,
          ...secrets,
          ...place,
          ...(other ? { [other.field]: other.ref.id } : {}),
        };
        const made = await this.call(kind.create, { path: pathOf(kind, owner), body });
        ref.id = made['id'] as string;
        for (const link of links) await link.run(ref.id);
      };
      return;
    }
    const changed = Object.entries(wanted).filter(([field, value]) => !isEqual(value, record[field]));
    const fixed = changed.find(([field]) => kind.fixed?.includes(field));
    if (fixed) throw new Fault(`${fixed[0]} cannot be changed once it is made: delete it first, or take another name`);
    const fields: Change[] = changed.map(([field, value]) => ({
      path: field,
      from: record[field] as unknown,
      to: value,
    }));
    if (other && other.ref.id !== record[other.field])
      fields.push({ path: other.path, from: record[other.field] as unknown, to: other.ref.name });
    step.changes = [...fields, ...links];
    step.action = step.changes.length > 0 ? 'update' : 'unchanged';
    step.sendsSecrets = Object.keys(secrets).length > 0;
    if (step.action === 'unchanged' && !step.sendsSecrets) return;
    step.run = async () => {
      const body = {
        ...Object.fromEntries(changed),
        ...secrets,
        ...(other ? { [other.field]: other.ref.id } : {}),
      };
      if (Object.keys(body).length > 0)
        await this.call(kind.update, { path: { ...pathOf(kind, owner), [kind.idParameter ?? 'id']: ref.id }, body });
      for (const link of links) await link.run(ref.id as string);
    };
  }

  /** The record that a field of it refers to by its name. */
  private async findOther(
    { kind }: DocumentKind,
    spec: Json,
    { organization }: Owners,
  ): Promise<{ path: string; field: string; ref: Ref } | null> {
    const reference = REFERENCES[kind];
    if (!reference || typeof spec[reference.path] !== 'string') return null;
    const ref = await this.find(reference.kind, spec[reference.path] as string, organization as Ref);
    return ref.isLeftOut ? null : { ...reference, ref };
  }

  /** Which other records belong to it, as far as the document says. */
  private async planLinks(
    kind: DocumentKind,
    spec: Json,
    owner: Ref | null,
    record: Json | null,
  ): Promise<LinkChange[]> {
    const id = record?.['id'] as string | undefined;
    const call = (operation: string, path: Record<string, unknown>, body?: Json) =>
      this.call(operation, { path, body });
    const linked = async (list: ListName, parameters: Record<string, string>): Promise<Json[]> =>
      id === undefined ? [] : this.memo(`${list} ${id}`, list, { path: parameters });
    if (kind.kind === 'Environment' && spec['connections'] !== undefined) {
      const wanted = await this.findEach('Connection', spec['connections'], 'connections', owner);
      const held = await linked('listEnvironmentConnections', { environmentID: id ?? '' });
      return toLinks('connections', wanted, held.map(toRef('Connection')), {
        add: (own, other) => call('addEnvironmentConnection', { environmentID: own, connectionID: other }),
        remove: (own, other) => call('removeEnvironmentConnection', { environmentID: own, connectionID: other }),
      });
    }
    if (kind.kind === 'Team' && spec['members'] !== undefined) {
      const organization = owner as Ref;
      const wanted = await Promise.all(
        textsOf(spec['members'], 'members').map((email) => this.findUser(organization, email)),
      );
      const held = await linked('listTeamUsers', { orgId: organization.id ?? '', teamId: id ?? '' });
      return toLinks(
        'members',
        wanted,
        held.map((user) => ({ kind: 'Member', name: user['email'] as string, id: user['id'] as string })),
        {
          add: (own, other) => call('addTeamUser', { orgId: organization.id, teamId: own, userId: other }),
          remove: (own, other) => call('removeTeamUser', { orgId: organization.id, teamId: own, userId: other }),
        },
      );
    }
    if (kind.kind !== 'Workspace') return [];
    const links: LinkChange[] = [];
    if (spec['environments'] !== undefined) {
      const wanted = await this.findEach('Environment', spec['environments'], 'environments', owner);
      const held = await linked('listWorkspaceEnvironments', { id: id ?? '' });
      links.push(
        ...toLinks('environments', wanted, held.map(toRef('Environment')), {
          add: (own, other) => call('assignWorkspaceEnvironment', { id: own, envID: other }),
          remove: (own, other) => call('unassignWorkspaceEnvironment', { id: own, envID: other }),
        }),
      );
    }
    if (spec['teams'] !== undefined)
      links.push(...(await this.planTeams(spec['teams'], owner, await linked('listWorkspaceTeams', { id: id ?? '' }))));
    return links;
  }

  /** Teams with their roles: `teams: [{name, role}]`. */
  private async planTeams(teams: unknown, owner: Ref | null, held: Json[]): Promise<LinkChange[]> {
    if (!Array.isArray(teams)) throw new Fault('spec.teams must be a list of name and role');
    const links: LinkChange[] = [];
    const names = new Set<string>();
    for (const entry of teams as unknown[]) {
      const { name, role } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
      if (typeof name !== 'string' || typeof role !== 'string')
        throw new Fault('spec.teams must be a list of name and role');
      names.add(name);
      const team = await this.find('Team', name, owner as Ref);
      const before = held.find((each) => each['name'] === name);
      if (before?.['role'] === role) continue;
      links.push({
        path: `teams.${name}`,
        from: before?.['role'],
        to: role,
        run: (own) => this.call('setWorkspaceTeam', { path: { id: own, teamId: team.id }, body: { role } }),
      });
    }
    for (const each of held)
      if (!names.has(each['name'] as string))
        links.push({
          path: `teams.${each['name'] as string}`,
          from: each['role'] as unknown,
          run: (own) => this.call('removeWorkspaceTeam', { path: { id: own, teamId: each['team_id'] as unknown } }),
        });
    return links;
  }

  private findEach(kind: string, names: unknown, field: string, owner: Ref | null): Promise<Ref[]> {
    return Promise.all(textsOf(names, field).map((name) => this.find(kind, name, owner as Ref)));
  }

  // Kinds that are not made like others.

  private async users(organization: Ref): Promise<Json[]> {
    if (organization.id === null) return [];
    return this.memo(`users ${organization.id}`, 'listOrganizationUsers', { path: { orgId: organization.id } });
  }

  /** A member by the e-mail address: one who is there, else one whom the documents add. */
  private async findUser(organization: Ref, email: string): Promise<Ref> {
    const held = this.refs.get(keyOf('Member', organization, email.toLowerCase()));
    const user = (await this.users(organization)).find((each) => sameAddress(each['email'] as string, email));
    if (user) return { kind: 'Member', name: email, id: user['id'] as string };
    if (held) return held;
    // A service account has no address of its own.
    if (!email.includes('@')) return this.find('ServiceAccount', email, organization);
    throw new Fault(`${email} is no member of the organization`);
  }

  private async planMember(
    step: Step,
    { metadata, spec }: Document,
    owners: Owners,
    references: References,
  ): Promise<void> {
    const organization = owners.organization as Ref;
    const { workspace } = owners;
    const { role } = spec;
    if (typeof role !== 'string') throw new Fault('spec.role is missing');
    if (workspace) {
      const user = await this.findUser(organization, metadata.name);
      const members =
        workspace.id === null
          ? []
          : await this.memo(`members ${workspace.id}`, 'listWorkspaceMembers', { path: { id: workspace.id } });
      const granted = members.find((each) => each['user_id'] === user.id)?.['granted'] as string | null | undefined;
      if (granted === role) return;
      step.action = granted ? 'update' : 'create';
      step.changes = [{ path: 'role', from: granted ?? undefined, to: role }];
      step.run = async () => {
        if (user.id === null)
          this.warnings.push(
            `${metadata.name} is invited, and no member of ${workspace.name} before accepting: apply again then`,
          );
        else await this.call('setWorkspaceMember', { path: { id: workspace.id, userId: user.id }, body: { role } });
      };
      return;
    }
    const ref: Ref = { kind: 'Member', name: metadata.name, id: null };
    this.refs.set(keyOf('Member', organization, metadata.name.toLowerCase()), ref);
    const user = (await this.users(organization)).find((each) => sameAddress(each['email'] as string, metadata.name));
    if (user) {
      ref.id = user['id'] as string;
      if (user['role'] === role) return;
      step.action = 'update';
      step.changes = [{ path: 'role', from: user['role'], to: role }];
      step.run = async () =>
        void (await this.call('updateOrganizationUser', {
          path: { orgId: organization.id, userId: ref.id },
          body: { role },
        }));
      return;
    }
    const invited =
      organization.id === null
        ? []
        : await this.memo(`invitations ${organization.id}`, 'listInvitations', { path: { orgId: organization.id } });
    if (invited.some((each) => sameAddress(each['email'] as string, metadata.name) && each['role'] === role)) return;
    const password =
      spec['password'] === undefined ? undefined : await secretOf(spec['password'], 'password', references);
    step.action = 'create';
    step.changes = toChanges({ role });
    step.run = async () => {
      const { first_name, last_name } = spec;
      const body = {
        email: metadata.name,
        role,
        first_name: first_name as unknown,
        last_name: last_name as unknown,
        password,
      };
      const path = { orgId: organization.id };
      try {
        const added = await this.call('addOrganizationUser', { path, body });
        if (added['invitation_url'])
          this.invitations.push({ email: metadata.name, role, url: added['invitation_url'] as string });
        else ref.id = added['id'] as string;
      } catch (error) {
        // Who makes an organization is a member of it.
        if (!(error instanceof ArmatureError) || error.code !== 'ALREADY_MEMBER') throw error;
        const users = await this.readAll('listOrganizationUsers', { path: { orgId: organization.id ?? '' } });
        const user = users.find((each) => sameAddress(each['email'] as string, metadata.name));
        ref.id = (user?.['id'] as string | undefined) ?? null;
        if (user && user['role'] !== role)
          await this.call('updateOrganizationUser', { path: { ...path, userId: ref.id }, body: { role } });
      }
    };
  }

  private async planQuota(step: Step, { spec }: Document, workspace: Ref): Promise<void> {
    const held = workspace.id === null ? {} : await this.call('getWorkspaceQuotas', { path: { id: workspace.id } });
    const changed = Object.entries(spec).filter(([field, value]) => !isEqual(value, held[field]));
    if (changed.length === 0) return;
    step.action = 'update';
    step.changes = changed.map(([field, value]) => ({
      path: field,
      from: held[field] as unknown,
      to: value as unknown,
    }));
    step.run = async () =>
      void (await this.call('updateWorkspaceQuotas', {
        path: { id: workspace.id },
        body: Object.fromEntries(changed),
      }));
  }

  /** Whether the content is another than that of the design is asked of the server, which parses it without storing it. */
  private async planDesign(
    step: Step,
    { metadata, spec }: Document,
    workspace: Ref,
    ref: Ref,
    references: References,
  ): Promise<void> {
    const kind = DOCUMENT_KINDS.find((each) => each.kind === 'Design') as DocumentKind;
    const record = await this.findRecord(kind, workspace, metadata.name);
    ref.id = (record?.['id'] as string | undefined) ?? null;
    const {
      visibility,
      source_content: source,
      source_encoding: encoding,
      pattern_file: pattern,
      ...settings
    } = spec as Record<string, unknown>;
    if ([source, pattern, settings['url']].filter((each) => each !== undefined).length !== 1)
      throw new Fault('spec takes one of source_content, pattern_file and url');
    const content = source ?? pattern;
    // What a design has is shown: a variable may hold a secret.
    if (isReference(content) && 'fromEnv' in content)
      throw new Fault(`spec.${source ? 'source_content' : 'pattern_file'} takes {fromFile: …} only`);
    const bytes = isReference(content)
      ? await references.bytes(content)
      : Buffer.from(typeof content === 'string' ? content : '', encoding === 'base64' ? 'base64' : 'utf8');
    const body: Json = { ...settings, name: metadata.name };
    if (content !== undefined) {
      body['file'] = bytes.toString('base64');
      body['file_name'] ??= isReference(content) ? String(content['fromFile']).split(/[\\/]/).at(-1) : metadata.name;
    }
    const write = (target: Json): Promise<WrittenDesignView> =>
      this.call('importDesign', { body: { ...body, ...target } }) as unknown as Promise<WrittenDesignView>;
    const preview = await write({
      save: false,
      ...(ref.id ? { id: ref.id } : workspace.id ? { workspace_id: workspace.id } : {}),
    });
    this.warnings.push(
      ...preview.warnings
        .filter(({ pointer }) => pointer !== '/name')
        .map((warning) => `${metadata.name}: ${faultLine(warning)}`),
    );
    const setVisibility = async (): Promise<void> => {
      if (typeof visibility === 'string')
        await this.call('updateDesign', { path: { id: ref.id }, body: { visibility } });
    };
    if (!record) {
      step.action = 'create';
      step.changes = toChanges({
        type: preview.source_type,
        ...(visibility ? { visibility: visibility as unknown } : {}),
      });
      step.run = async () => {
        ref.id = (await write({ workspace_id: workspace.id })).id;
        if (visibility !== undefined && visibility !== 'workspace') await setVisibility();
      };
      return;
    }
    const before = record['version_number'] as number;
    const hasContent = preview.version_number !== before;
    const hasVisibility = visibility !== undefined && visibility !== record['visibility'];
    if (hasContent) step.changes.push({ path: 'version', from: before, to: preview.version_number });
    if (hasVisibility) step.changes.push({ path: 'visibility', from: record['visibility'], to: visibility });
    if (step.changes.length === 0) return;
    step.action = 'update';
    step.run = async () => {
      if (hasContent) await write({ id: ref.id });
      if (hasVisibility) await setVisibility();
    };
  }

  private async planFilter(
    step: Step,
    kind: DocumentKind,
    { metadata, spec }: Document,
    workspace: Ref,
    ref: Ref,
    references: References,
  ): Promise<void> {
    const { module: reference, config, visibility } = spec as Record<string, unknown>;
    if (!isReference(reference) || 'fromEnv' in reference) throw new Fault('spec.module takes {fromFile: …}');
    const bytes = await references.bytes(reference);
    const record = await this.findRecord(kind, workspace, metadata.name);
    ref.id = (record?.['id'] as string | undefined) ?? null;
    const { createHash } = await import('node:crypto');
    const wanted: Json = { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
    if (config !== undefined) wanted['filter_resource'] = typeof config === 'string' ? config : JSON.stringify(config);
    if (visibility !== undefined) wanted['visibility'] = visibility;
    const held = record ?? {};
    const changed = Object.keys(wanted).filter((field) => !isEqual(wanted[field], held[field]));
    if (changed.length === 0) return;
    step.action = record ? 'update' : 'create';
    step.changes = changed.map((path) => ({ path, from: held[path] as unknown, to: wanted[path] as unknown }));
    step.run = async () => {
      const body: Json = {};
      if (changed.includes('digest')) body['file'] = await toFile(bytes, `${metadata.name}.wasm`);
      if (changed.includes('filter_resource')) body['config'] = wanted['filter_resource'] as unknown;
      if (changed.includes('visibility')) body['visibility'] = visibility;
      if (ref.id) await this.call('updateFilter', { path: { id: ref.id }, body });
      else {
        const made = await this.call('createFilter', {
          body: { ...body, name: metadata.name, workspace_id: workspace.id },
        });
        ref.id = made['id'] as string;
      }
    };
  }

  // Pruning.

  private async planPruning(kind: DocumentKind, owner: Ref, owners: Owners, ids: ReadonlySet<string>): Promise<Step[]> {
    if (kind.neverPruned || !kind.delete) return [];
    return (await this.list(kind, owner))
      .filter((record) => !ids.has(record['id'] as string))
      .map((record) => ({
        action: 'delete',
        kind: kind.kind,
        name: (kind.nameOf ?? nameOf)(record),
        organization: owners.organization?.name ?? null,
        workspace: owners.workspace?.name ?? null,
        environment: owners.environment?.name ?? null,
        changes: [],
        reads: [],
        sendsSecrets: false,
        run: async () =>
          void (await this.call(kind.delete, {
            path: { ...pathOf(kind, owner), [kind.idParameter ?? 'id']: record['id'] as unknown },
          })),
      }));
  }

  // Secrets and calls.

  private async readSecrets({ secrets = [] }: DocumentKind, spec: Json, references: References): Promise<Json> {
    const read: Json = {};
    for (const field of secrets)
      if (spec[field] !== undefined) read[field] = await secretOf(spec[field], field, references);
    return read;
  }

  private call(operation: string | undefined, options: object): Promise<Json> {
    const { armature } = this.session;
    return (armature as unknown as Record<string, (options: object) => Promise<Json>>)[operation ?? '']?.(
      options,
    ) as Promise<Json>;
  }
}

/** Fields with the name of another record of the organization, whose id a field of the record has. */
const REFERENCES: Record<string, { path: string; kind: string; field: string }> = {
  Connection: { path: 'credential', kind: 'Credential', field: 'credential_id' },
  PerformanceProfile: { path: 'metrics_connection', kind: 'Connection', field: 'metrics_connection_id' },
};

/** The field that says where a record is made. */
const placeOf = ({ scope }: DocumentKind, owner: Ref | null): Json =>
  scope === 'organization' ? { organization_id: owner?.id } : scope === 'workspace' ? { workspace_id: owner?.id } : {};

/** Headers have values that are no secret, too; all other secrets are references. */
async function secretOf(value: unknown, field: string, references: References): Promise<unknown> {
  if (isReference(value)) {
    if (field !== 'secret' && field !== 'credential_secret' && field !== 'headers') return references.text(value);
    const read = await parseYaml(await references.text(value), field).catch(() => null);
    if (typeof read !== 'object' || read === null)
      throw new Fault(`spec.${field} is a map: refer to a file that has one, or to each of its values`);
    return read;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const read: Json = {};
    for (const [name, each] of Object.entries(value)) {
      if (isReference(each)) read[name] = await references.text(each);
      else if (field === 'headers') read[name] = each as unknown;
      else throw new Fault(`spec.${field}.${name} is a secret: write {fromEnv: ARMATURE_SECRET_…} or {fromFile: …}`);
    }
    return read;
  }
  throw new Fault(`spec.${field} is a secret: write {fromEnv: ARMATURE_SECRET_…} or {fromFile: …}`);
}

/** The URL of a webhook, by which it is found; a reference where it has a key. */
async function urlOf(value: unknown, references: References): Promise<string> {
  const url = isReference(value) ? await references.text(value) : value;
  if (typeof url !== 'string' || url === '') throw new Fault('spec.url is missing, by which a webhook is found');
  if (!URL.canParse(url)) throw new Fault('spec.url is no URL');
  return url;
}

const keyOf = (kind: string, owner: Ref | null, name: string): string =>
  JSON.stringify([kind, owner?.id ?? owner?.name ?? null, owner?.kind, name]);

/** What a record belongs to: the narrowest of its owners. */
const ownerOf = ({ environment, workspace, organization }: Owners): Ref | null =>
  environment ?? workspace ?? organization;

const nameOf = ({ name }: Json): string => name as string;
const sameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const toRef =
  (kind: string) =>
  ({ id, name }: Json): Ref => ({ kind, id: id as string, name: name as string });

const pathOf = ({ ownerParameter, scope }: DocumentKind, owner: Ref | null): Record<string, unknown> =>
  ownerParameter && scope !== 'installation' ? { [ownerParameter]: owner?.id } : {};

const toChanges = (fields: Json): Change[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([path, value]) => ({ path, to: value as unknown }));

function textsOf(value: unknown, field: string): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Fault(`spec.${field} must be a list of names`);
}

interface LinkCalls {
  add: (own: string, other: string) => Promise<unknown>;
  remove: (own: string, other: string) => Promise<unknown>;
}

function toLinks(
  field: string,
  wanted: readonly Ref[],
  held: readonly Ref[],
  { add, remove }: LinkCalls,
): LinkChange[] {
  return [
    ...wanted
      .filter(({ id }) => id === null || !held.some((each) => each.id === id))
      .map((ref) => ({
        path: field,
        to: ref.name,
        // Who was only invited has no account to add yet.
        run: async (own: string) => (ref.id === null ? undefined : add(own, ref.id)),
      })),
    ...held
      .filter(({ id }) => !wanted.some((each) => each.id === id))
      .map((ref) => ({ path: field, from: ref.name, run: (own: string) => remove(own, ref.id as string) })),
  ];
}
