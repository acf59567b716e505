import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { Access } from '../core/authorization/access.service.js';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { Conflict, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { OrganizationQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { Precondition } from '../core/rest/precondition.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer, RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { PublishedDesignsStore } from './published-designs.store.js';
import type { Design } from './design.entity.js';
import type { DesignChange, DesignListQuery } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignsStore } from './designs.store.js';
import { parseScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { isObject } from '../core/json/json.js';
import { OrganizationsService } from '../organizations/organizations.service.js';

/** Design records, and the rights to see and change them. */
@Injectable()
export class DesignsService implements RecordAuthorizer, PlacementAuthorizer {
  constructor(
    private readonly designs: DesignsStore,
    private readonly published: PublishedDesignsStore,
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
  ) {}

  /** The designs of the caller's workspaces, and those shared with the caller's organizations. */
  async list(actor: Actor, query: DesignListQuery): Promise<Page<Design>> {
    assertScope(actor, designPolicy.read);
    if (query.organization_id) await this.organizations.resolve(actor, query.organization_id);
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    return this.designs.page(actor, { ...parseScope(query), sourceType: query.source_type }, query);
  }

  /**
   * A design that the actor may see. A reader with access only through the catalog gets the published version.
   * @throws NotFound
   */
  async get(actor: Actor, id: string, within = new OrganizationQuery()): Promise<Design> {
    assertScope(actor, designPolicy.read);
    return orNotFound(
      id,
      within.keepIfInOrganization((await this.designs.find(actor, id)) ?? (await this.published.find(id))),
    );
  }

  /** The design that a change identifies by its id, else the only one of its name that the actor may change. */
  async resolve(actor: Actor, change: Pick<DesignChange, 'id' | 'name' | 'pattern_data'>): Promise<Design> {
    const { id, name: wanted } = readIdentification(change);
    if (id && !validate(id)) throw InvalidRequest.forField('/pattern_data/id', 'must be a UUID');
    if (id) return this.get(actor, id);
    if (!wanted)
      throw InvalidRequest.forField(
        '/id',
        'is required',
        'Send the id of the design, or the name of your only one of that name.',
      );
    const [only, ...others] = await this.designs.findEditable(actor, wanted);
    if (!only) throw new NotFound('design', wanted);
    if (others.length === 0) return only;
    const ids = [only, ...others].map((design) => design.id);
    throw new Conflict('AMBIGUOUS_NAME', `${ids.length} designs are called ${wanted}: ${ids.join(', ')}`, {
      extensions: { ids },
      remedy: 'Send the id of the one you mean.',
    });
  }

  /** Readers of a design, including one of the catalog, may clone it. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const design =
      operation === designPolicy.restore ? await this.getWithDeleted(actor, id) : await this.get(actor, id);
    if (operation !== designPolicy.clone) await this.assertAllowedIn(actor, operation, design);
  }

  /** As `authorize`, for the design that a body identifies by its id. The body of a change may also identify it by its content. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.pathId('id') ?? fields.id('id') ?? fields.id('pattern_id');
    if (id) return this.authorize(actor, operation, id);
    if (operation !== designPolicy.update) return;
    const named = readIdentification({ name: fields.value('name'), pattern_data: fields.value('pattern_data') });
    if (named.id ? validate(named.id) : named.name)
      await this.assertAllowedIn(actor, operation, await this.resolve(actor, named));
  }

  /** Also finds deleted designs; `hold` locks the row until the end of the transaction. */
  async getWithDeleted(actor: Actor, id: string, hold = false): Promise<Design> {
    return orNotFound(id, await this.designs.findWithDeleted(actor, id, hold));
  }

  /**
   * The first step of every change of one design: finds it, checks rights and preconditions, and refuses an archived workspace. The
   * workspace is locked before the design, the same order as in operations on workspaces.
   */
  async getForUpdate(
    actor: Actor,
    id: string,
    operation: keyof typeof designPolicy,
    match = Precondition.none,
  ): Promise<Design> {
    const { workspaceId } = await this.getAllowed(actor, id, operation);
    await this.workspaces.lockActive(actor, workspaceId);
    const design = await this.lock(actor, id, workspaceId);
    match.assertMatches(design);
    return design;
  }

  assertAllowed(
    actor: Actor,
    operation: keyof typeof designPolicy,
    at: { workspaceId: string; organizationId: string },
  ): Promise<void> {
    return this.assertAllowedIn(actor, designPolicy[operation], at);
  }

  private assertAllowedIn(
    actor: Actor,
    operation: Operation,
    { workspaceId, organizationId }: { workspaceId: string; organizationId: string },
  ): Promise<void> {
    return this.access.authorize(actor, operation, { type: 'workspace', id: workspaceId, organizationId });
  }

  /** The design, if the actor has the right to the operation. */
  async getAllowed(actor: Actor, id: string, operation: keyof typeof designPolicy): Promise<Design> {
    const design = await this.get(actor, id);
    await this.assertAllowed(actor, operation, design);
    return design;
  }

  /**
   * Locks a design until the end of the transaction, which has locked its workspace.
   * @throws Conflict CONCURRENT_CHANGE when it has been moved to another workspace
   */
  async lock(actor: Actor, id: string, workspaceId: string): Promise<Design> {
    const design = orNotFound(id, await this.designs.lock(actor, id));
    if (design.workspaceId === workspaceId) return design;
    throw new Conflict('CONCURRENT_CHANGE', 'the design has just been moved', { remedy: 'Repeat the call.' });
  }

  /** Assigns a locked design to another workspace, which the transaction has locked as well. */
  async changeWorkspace(design: Design, workspaceId: string): Promise<void> {
    await this.designs.update(design, { workspaceId });
  }
}

/** The id and the name by which the body of a change identifies its design. */
function readIdentification({ id, name, pattern_data }: { id?: unknown; name?: unknown; pattern_data?: unknown }) {
  const content = isObject(pattern_data) ? pattern_data : {};
  return { id: firstText(id, content['id']), name: firstText(name, content['name']) };
}

const firstText = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

function orNotFound(id: string, design: Design | null): Design {
  if (!design) throw new NotFound('design', id);
  return design;
}
