import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { given, isEchoed, mustEcho } from '../core/rest/change-input.js';
import { Precondition } from '../core/rest/precondition.js';
import type { UploadedFile } from '../core/rest/upload.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { PackedDesign } from '../formats/packed-design.js';
import { DesignChecks } from './design-checks.js';
import { mustBeSettable } from '../workspaces/records/settable-visibility.js';
import { WorkspacePlacement } from '../workspaces/records/workspace-placement.js';
import type { Visibility } from '../workspaces/records/workspace-record.entity.js';
import { Design, type Origin } from './design.entity.js';
import { type DesignCloned, DesignCreated, DesignImported, DesignUpdated } from './design.events.js';
import type { DesignChange, DesignImport, NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignView } from './design.view.js';
import { DesignSource, type ReadSource } from './design-source.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { sourceTypesOf } from './formats/source-type.js';
import { DesignKnowledge } from './knowledge/design-knowledge.js';
import { DesignContents } from './versions/design-contents.js';
import { type Content, type NewVersion, NewVersions } from './versions/new-versions.js';

/** A design that was written, and what was taken of its source but deserves a word. */
export interface Written {
  design: Design;
  warnings: Fault[];
  /** False when the caller only wanted to see what it would be. */
  saved: boolean;
  /** Its new content; null when that is as it was. */
  file: PackedDesign | null;
}

/** What a new design is given beside its content. */
interface Beginning {
  name?: string;
  visibility?: Visibility;
  clonedFrom?: Origin | null;
}

/** Writes the content of designs: every change of it is a new version. */
@Injectable()
export class DesignWriter {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContents,
    private readonly versions: NewVersions,
    private readonly sources: DesignSource,
    private readonly checks: DesignChecks,
    private readonly knowledge: DesignKnowledge,
    private readonly placement: WorkspacePlacement,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotas,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewDesign): Promise<Written> {
    const workspace = await this.placement.of(actor, input, designPolicy.create);
    const source = await this.known(await this.sources.ofPatternData(input.pattern_data, null, { name: input.name }));
    return this.add(actor, workspace, source, input, input.save ?? true, DesignCreated);
  }

  async import(actor: Actor, input: DesignImport, files: UploadedFile[]): Promise<Written> {
    const workspace = await this.placement.of(actor, input, designPolicy.create);
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
    const current = await this.designs.meantBy(actor, input);
    await this.designs.require(actor, 'update', current);
    const options = { name: input.name ?? current.name };
    const { pattern_data } = input;
    const read = pattern_data ? await this.sources.ofChange(current, pattern_data, types, options) : null;
    const source = read && (await this.known(read));
    const { name, visibility } = input;
    mustBeSettable(current, visibility, CATALOG);
    const warnings = source?.imported.warnings ?? [];
    const save = (version: NewVersion | null): Promise<Written> => {
      const change = { ...given({ name, visibility }), ...version?.design };
      const file = version?.file ?? null;
      if (input.save === false) {
        const design = Object.assign(new Design(), current, change);
        return Promise.resolve({ design, warnings, saved: false, file });
      }
      return this.unit.run(async () => {
        const design = await this.designs.open(actor, current.id, 'update', match);
        const patternFile = isEchoed(input, 'pattern_file') ? await this.contents.readText(design) : '';
        mustEcho(input, DesignView.of(design, { patternFile }));
        mustBeSettable(design, visibility, CATALOG);
        if (version) mustBeAsRead(design, current);
        await version?.write();
        await this.store.update(design, change);
        await this.events.publish(new DesignUpdated(actor, design, { content: Boolean(version) }));
        return { design, warnings, saved: true, file };
      });
    };
    return source ? this.versions.keep(current, contentOf(source), note(actor, input.message), save) : save(null);
  }

  /** Makes what an earlier version holds the next version. */
  async restore(
    actor: Actor,
    current: Design,
    content: Content,
    message: string,
    match: Precondition,
  ): Promise<Written> {
    return this.versions.keep(current, content, note(actor, message), (version) =>
      this.unit.run(async () => {
        const design = await this.designs.open(actor, current.id, 'update', match);
        await version.write();
        await this.store.update(design, version.design);
        await this.events.publish(new DesignUpdated(actor, design, { content: true }));
        return { design, warnings: [], saved: true, file: version.file };
      }),
    );
  }

  /** Makes a design of a source, in a workspace where the actor may. */
  async add(
    actor: Actor,
    workspace: Workspace,
    source: ReadSource,
    { name, visibility, clonedFrom = null }: Beginning,
    save: boolean,
    Told: typeof DesignCreated | typeof DesignImported | typeof DesignCloned,
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
      clonedFrom,
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
}

const CATALOG = '/api/pattern/catalog';

const note = (actor: Actor, message = '') => ({ userId: actor.userId ?? '', message });

const contentOf = ({ imported, file }: ReadSource): Content => ({
  file: imported.design,
  sourceType: imported.sourceType,
  source: file,
});

/** @throws Conflict CONCURRENT_CHANGE when the content that a change was made of is no longer the current one */
function mustBeAsRead(design: Design, { versionNumber }: Design): void {
  if (design.versionNumber === versionNumber) return;
  throw new Conflict('CONCURRENT_CHANGE', 'another change of this design came first', {
    remedy: 'Read it again and repeat the change.',
  });
}
