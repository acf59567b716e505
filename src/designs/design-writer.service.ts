import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { definedFields, hasReadOnlyField, assertReadOnlyUnchanged } from '../core/rest/read-only-fields.js';
import { Precondition } from '../core/rest/precondition.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { PackedDesign } from '../formats/design-file/packed-design.js';
import { DesignCheckRegistry } from './design-checks.registry.js';
import { assertVisibilityChange } from '../workspaces/workspace-owned/visibility-change.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import type { Visibility } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import { Design, type CloneOrigin } from './design.entity.js';
import { type DesignCloned, DesignCreated, DesignImported, DesignUpdated } from './design.events.js';
import type { DesignChange, DesignImport, NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignView } from './design.view.js';
import { DesignSourceReader, type ParsedDesignSource } from './design-source.reader.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { parseSourceTypes } from './formats/source-type.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import { DesignContentsStore } from './versions/design-contents.store.js';
import { type VersionContent, type PreparedVersion, VersionWriter } from './versions/version-writer.service.js';

/** A design that was written, and what was taken of its source but deserves a word. */
export interface DesignWriteResult {
  design: Design;
  warnings: Fault[];
  /** False when the caller only wanted to see what it would be. */
  saved: boolean;
  /** Its new content; null when that is as it was. */
  file: PackedDesign | null;
}

/** What a new design is given beside its content. */
interface InitialProperties {
  name?: string;
  visibility?: Visibility;
  clonedFrom?: CloneOrigin | null;
}

/** Writes the content of designs: every change of it is a new version. */
@Injectable()
export class DesignWriter {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly versions: VersionWriter,
    private readonly sources: DesignSourceReader,
    private readonly checks: DesignCheckRegistry,
    private readonly knowledge: DesignEnrichmentService,
    private readonly placement: WorkspacePlacementService,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewDesign): Promise<DesignWriteResult> {
    const workspace = await this.placement.resolve(actor, input, designPolicy.create);
    const source = await this.enrich(
      await this.sources.fromPatternData(input.pattern_data, null, { name: input.name }),
    );
    return this.createFromSource(actor, workspace, source, input, input.save ?? true, DesignCreated);
  }

  async import(actor: Actor, input: DesignImport, files: FormFile[]): Promise<DesignWriteResult> {
    const workspace = await this.placement.resolve(actor, input, designPolicy.create);
    const source = await this.enrich(await this.sources.fromImport(input, files));
    return this.createFromSource(actor, workspace, source, input, true, DesignImported);
  }

  /** Changes the content as one of the given source types, the name and the visibility, as far as they are sent. */
  async update(actor: Actor, segment: string, input: DesignChange, match: Precondition): Promise<DesignWriteResult> {
    const types = parseSourceTypes(segment);
    if (types.length === 0)
      throw InvalidRequest.forField(
        'sourcetype',
        'must be one of yaml, json, helm, kustomize, docker-compose, kubernetes, design',
      );
    const current = await this.designs.resolve(actor, input);
    await this.designs.assertAllowed(actor, 'update', current);
    const options = { name: input.name ?? current.name };
    const { pattern_data } = input;
    const read = pattern_data ? await this.sources.fromChange(current, pattern_data, types, options) : null;
    const source = read && (await this.enrich(read));
    const { name, visibility } = input;
    assertVisibilityChange(current, visibility, CATALOG_PATH);
    const warnings = source?.imported.warnings ?? [];
    const save = (version: PreparedVersion | null): Promise<DesignWriteResult> => {
      const change = { ...definedFields({ name, visibility }), ...version?.design };
      const file = version?.file ?? null;
      if (input.save === false) {
        const design = Object.assign(new Design(), current, change);
        return Promise.resolve({ design, warnings, saved: false, file });
      }
      return this.unit.run(async () => {
        const design = await this.designs.getForUpdate(actor, current.id, 'update', match);
        const patternFile = hasReadOnlyField(input, 'pattern_file') ? await this.contents.readText(design) : '';
        assertReadOnlyUnchanged(input, DesignView.fromEntity(design, { patternFile }));
        assertVisibilityChange(design, visibility, CATALOG_PATH);
        if (version) assertUnchangedSince(design, current);
        await version?.write();
        await this.store.update(design, change);
        await this.events.publish(new DesignUpdated(actor, design, { content: Boolean(version) }));
        return { design, warnings, saved: true, file };
      });
    };
    return source
      ? this.versions.withNextVersion(current, toVersionContent(source), versionNote(actor, input.message), save)
      : save(null);
  }

  /** Makes what an earlier version holds the next version. */
  async restore(
    actor: Actor,
    current: Design,
    content: VersionContent,
    message: string,
    match: Precondition,
  ): Promise<DesignWriteResult> {
    return this.versions.withNextVersion(current, content, versionNote(actor, message), (version) =>
      this.unit.run(async () => {
        const design = await this.designs.getForUpdate(actor, current.id, 'update', match);
        await version.write();
        await this.store.update(design, version.design);
        await this.events.publish(new DesignUpdated(actor, design, { content: true }));
        return { design, warnings: [], saved: true, file: version.file };
      }),
    );
  }

  /** Makes a design of a source, in a workspace where the actor may. */
  async createFromSource(
    actor: Actor,
    workspace: Workspace,
    source: ParsedDesignSource,
    { name, visibility, clonedFrom = null }: InitialProperties,
    save: boolean,
    Told: typeof DesignCreated | typeof DesignImported | typeof DesignCloned,
  ): Promise<DesignWriteResult> {
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
      unsupported: await this.checks.findUnsupportedReason(imported.design.outline),
      deploymentCount: 0,
      cloneCount: 0,
      downloadCount: 0,
    });
    const { warnings } = imported;
    const file = imported.design.withMembers({ id: design.id, name: design.name });
    if (!save) return { design, warnings, saved: false, file };
    const write = await this.contents.prepareInsert(design, file, source.file, versionNote(actor));
    return this.unit.run(async () => {
      await this.quotas.assertWithinLimit(await this.workspaces.lockActive(actor, workspace.id), 'max_designs');
      await this.store.insert(design);
      await write();
      await this.events.publish(
        new Told(actor, design, { source_type: design.sourceType, components: file.outline.components }),
      );
      return { design, warnings, saved: true, file };
    });
  }

  /** The source with all that the registry knows of its design. */
  private async enrich(source: ParsedDesignSource): Promise<ParsedDesignSource> {
    const design = await this.knowledge.enrich(source.imported.design);
    return { ...source, imported: { ...source.imported, design } };
  }
}

const CATALOG_PATH = '/api/pattern/catalog';

const versionNote = (actor: Actor, message = '') => ({ userId: actor.userId ?? '', message });

const toVersionContent = ({ imported, file }: ParsedDesignSource): VersionContent => ({
  file: imported.design,
  sourceType: imported.sourceType,
  source: file,
});

/** @throws Conflict CONCURRENT_CHANGE when the content that a change was made of is no longer the current one */
function assertUnchangedSince(design: Design, { versionNumber }: Design): void {
  if (design.versionNumber === versionNumber) return;
  throw new Conflict('CONCURRENT_CHANGE', 'another change of this design came first', {
    remedy: 'Read it again and repeat the change.',
  });
}
