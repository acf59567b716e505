import { Injectable } from '@nestjs/common';
import { inc } from 'semver';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, type Fault, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { given, isEchoed, mustEcho } from '../core/rest/change-input.js';
import { Precondition } from '../core/rest/precondition.js';
import type { UploadedFile } from '../core/rest/upload.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { PackedDesign } from '../formats/packed-design.js';
import { DesignChecks } from './design-checks.js';
import { Design, type Visibility } from './design.entity.js';
import { DesignCreated, DesignImported, DesignUpdated } from './design.events.js';
import type { DesignChange, DesignImport, NewDesign } from './design.inputs.js';
import { DesignView } from './design.view.js';
import { DesignSource, type ReadSource } from './design-source.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { sourceTypesOf } from './formats/source-type.js';
import { DesignKnowledge } from './knowledge/design-knowledge.js';
import { DesignContents } from './versions/design-contents.js';

/** A design that was written, and what was taken of its source but deserves a word. */
export interface Written {
  design: Design;
  warnings: Fault[];
  /** False when the caller only wanted to see what it would be. */
  saved: boolean;
  /** Its new content; null when that is as it was. */
  file: PackedDesign | null;
}

interface Placement {
  workspace_id?: string;
  organization_id?: string;
  visibility?: Visibility;
}

/** Writes the content of designs: every change of it is a new version. */
@Injectable()
export class DesignWriter {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContents,
    private readonly sources: DesignSource,
    private readonly checks: DesignChecks,
    private readonly knowledge: DesignKnowledge,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotas,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewDesign): Promise<Written> {
    const workspace = await this.placeFor(actor, input);
    const source = await this.known(await this.sources.ofPatternData(input.pattern_data, null, { name: input.name }));
    return this.add(actor, workspace, source, input, input.save ?? true, DesignCreated);
  }

  async import(actor: Actor, input: DesignImport, files: UploadedFile[]): Promise<Written> {
    const workspace = await this.placeFor(actor, input);
    const source = await this.known(await this.sources.ofImport(input, files));
    return this.add(actor, workspace, source, input, true, DesignImported);
  }

  /** Changes the content as one of the given source types, the name and the visibility, as far as they are sent. */
  async update(actor: Actor, segment: string, input: DesignChange, match: Precondition): Promise<Written> {
    const types = sourceTypesOf(segment);
    if (types.length === 0)
      throw InvalidRequest.at(
        'sourcetype',
        'must be one of yaml, json, helm, kustomize, docker-compose, kubernetes, design',
      );
    const current = await this.meantBy(actor, input);
    await this.designs.require(actor, 'update', current);
    const options = { name: input.name ?? current.name };
    const { pattern_data } = input;
    const read = pattern_data ? await this.sources.ofChange(current, pattern_data, types, options) : null;
    const source = read && (await this.known(read));
    const { name, visibility } = input;
    const change = { ...given({ name, visibility }), ...(source ? await this.newContent(current, source) : {}) };
    const next = Object.assign(new Design(), current, change);
    const file = source && source.imported.design.with({ id: current.id, version: next.version });
    const warnings = source?.imported.warnings ?? [];
    if (input.save === false) return { design: next, warnings, saved: false, file };
    const write = file && (await this.contents.prepare(next, file, source.file, note(actor, input.message)));
    return this.unit.run(async () => {
      const design = await this.designs.open(actor, current.id, 'update', match);
      const patternFile = isEchoed(input, 'pattern_file') ? await this.contents.readText(design) : '';
      mustEcho(input, DesignView.of(design, { patternFile }));
      if (design.versionNumber !== current.versionNumber)
        throw new Conflict('CONCURRENT_CHANGE', 'another change of this design came first', {
          remedy: 'Read it again and repeat the change.',
        });
      await this.store.update(design, change);
      await write?.();
      await this.events.publish(new DesignUpdated(actor, design, { content: Boolean(write) }));
      return { design, warnings, saved: true, file };
    });
  }

  private async add(
    actor: Actor,
    workspace: Workspace,
    source: ReadSource,
    { name, visibility }: Placement & { name?: string },
    save: boolean,
    Told: typeof DesignCreated | typeof DesignImported,
  ): Promise<Written> {
    const { imported } = source;
    const design: Design = Object.assign(new Design(), {
      organizationId: workspace.organizationId,
      workspaceId: workspace.id,
      name: name ?? imported.name,
      userId: actor.userId,
      visibility: visibility ?? 'workspace',
      sourceType: imported.sourceType,
      versionNumber: 1,
      version: imported.design.version,
      location: source.location,
      catalogData: {},
      unsupported: await this.checks.firstReason(imported.design.outline),
      deploymentCount: 0,
      cloneCount: 0,
      downloadCount: 0,
    });
    const { warnings } = imported;
    const file = imported.design.with({ id: design.id, name: design.name });
    if (!save) return { design, warnings, saved: false, file };
    const write = await this.contents.prepare(design, file, source.file, note(actor));
    return this.unit.run(async () => {
      await this.quotas.admit(await this.workspaces.mustBeActive(actor, workspace.id), 'max_designs');
      await this.store.insert(design);
      await write();
      await this.events.publish(
        new Told(actor, design, { source_type: design.sourceType, components: file.outline.components }),
      );
      return { design, warnings, saved: true, file };
    });
  }

  /** The source with all that the registry knows of its design. */
  private async known(source: ReadSource): Promise<ReadSource> {
    const design = await this.knowledge.enrich(source.imported.design);
    return { ...source, imported: { ...source.imported, design } };
  }

  /** The next version: the one that the source claims when it is higher, else the next patch. */
  private async newContent(current: Design, { imported }: ReadSource): Promise<Partial<Design>> {
    const version = inc(current.version, 'patch') ?? '0.0.1';
    return {
      versionNumber: current.versionNumber + 1,
      version,
      sourceType: imported.sourceType,
      unsupported: await this.checks.firstReason(imported.design.outline),
    };
  }

  /** The workspace of the body, else the caller's default one; the caller must be allowed to make designs there. */
  async placeFor(actor: Actor, { workspace_id, organization_id }: Placement): Promise<Workspace> {
    const workspace = workspace_id
      ? await this.workspaces.get(actor, workspace_id)
      : await this.workspaces.defaultOf(actor, (await this.organizations.meantBy(actor, organization_id)).id);
    await this.designs.require(actor, 'create', {
      workspaceId: workspace.id,
      organizationId: workspace.organizationId,
    });
    workspace.mustBeActive();
    return workspace;
  }

  private async meantBy(actor: Actor, { id, name, pattern_data }: DesignChange): Promise<Design> {
    const named = id ?? (typeof pattern_data?.['id'] === 'string' ? pattern_data['id'] : undefined);
    if (named) return this.designs.get(actor, named);
    const wanted = name ?? (typeof pattern_data?.['name'] === 'string' ? pattern_data['name'] : undefined);
    if (!wanted)
      throw InvalidRequest.at(
        '/id',
        'is required',
        'Send the id of the design, or the name of your only one of that name.',
      );
    const [only, ...others] = await this.store.findEditable(actor, wanted);
    if (!only) throw new NotFound('design', wanted);
    if (others.length === 0) return only;
    const ids = [only, ...others].map((design) => design.id);
    throw new Conflict('AMBIGUOUS_NAME', `${ids.length} designs are called ${wanted}: ${ids.join(', ')}`, {
      extensions: { ids },
      remedy: 'Send the id of the one you mean.',
    });
  }
}

const note = (actor: Actor, message = '') => ({ userId: actor.userId ?? '', message });
